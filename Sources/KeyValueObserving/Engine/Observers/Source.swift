// The observers of one property of an object.
import Synchronization

/// The observers of one property of an object: the registrations on it, and the watches that depend on it.
///
/// The source of a stored property is created when it is first observed or a watch first reads it, and lives as long as
/// the object's table. The source of a manual property is found by its key path, and removed after its last use.
///
/// The lock of the table guards the state; objects that a transition removes are released after leaving the lock. A
/// change needs no lock: it borrows the recipients, and one atomic word names the thread that has it open.
@usableFromInline
@safe final class Source: RegistrationKeeper, KeyPathNamed, @unchecked Sendable {
    let table: ObservationTable
    let property: PropertyIdentity
    /// The next older source in the table's list of stored properties, retained.
    let next: Unretained<Source>?
    /// The recipients, from the first change until a registration is added or removed.
    private let loan = RecipientsLoan<Recipients>()
    /// The thread that has a change of the property open, or 0.
    let opener = Atomic<UInt64>(0)
    /// The open change, which only its thread uses.
    @safe @exclusivity(unchecked) var openMutation: Mutation?
    /// Reads the property with its types, for its observers; set before the first registration, and never changed.
    @safe @exclusivity(unchecked) private(set) var reader: WatchReader?
    /// A change that is over, for the next one.
    let spare = Spare<Mutation>()
    /// How many accesses in place are under way.
    let accesses = Atomic<UInt32>(0)
    /// How often registrations were added or removed; changed under the lock.
    let versionNumber = Atomic<UInt32>(0)
    /// The hash of the key path, if the property notifies manually.
    let nameHash: UInt32
    /// The description of the property.
    let description: PropertyDescription
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) private var state = State()

    private struct State {
        var direct = RegistrationList()
        /// The call site of the newest registration, for the next one to reuse; its key path names the property.
        var lastSite: CallSite?
        /// The watches that depend on the property.
        var watches = DistinctObjects<Watch>()
        /// Whether its own key path names the property and nothing else, so that observers need no watch.
        var isOneProperty = false
        /// Whether the source was removed from the table.
        var isDropped = false

        var isObserved: Bool { !direct.isEmpty || !watches.elements.isEmpty }
    }

    /// Creates the source of a stored property.
    init(
        of property: PropertyIdentity, in table: ObservationTable, _ description: PropertyDescription,
        next: Unretained<Source>?
    ) {
        self.description = description
        self.table = table
        self.property = property
        self.next = next
        nameHash = 0
    }

    /// Creates the source of a property that notifies manually.
    init(at name: KeyPathName, in table: ObservationTable, _ description: PropertyDescription) {
        self.table = table
        property = .manual
        next = nil
        nameHash = name.hash
        self.description = description
        state.isOneProperty = true
    }

    deinit { unsafe next?.unmanaged.release() }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        table.lock.withLock { body(&state) }
    }

    // MARK: The property

    var isManual: Bool { property == .manual }
    /// The key path that names the property.
    package var keyPath: AnyKeyPath? { description.keyPath }
    package var hasEnded: Bool { table.hasEnded }
    package var objects: [AnyObject] { table.object.map { [$0] } ?? [] }
    /// Returns values of the property for a transaction to keep until its end.
    ///
    /// The whole value is read at the end, since each further change of elements would copy it; a set already has it.
    func kept(_ edit: Edit?, _ values: ChangeValues) -> KeptValues {
        KeptValues(
            edit, edit != nil && description.isShared ? values : values.withoutWhole, description.valueType)
    }
    func isNamed(_ name: KeyPathName) -> Bool { description.name.isSame(as: name) }

    /// Records that the property's own key path names it and nothing else, unless several threads change it, and how to
    /// read it.
    func becomeOneProperty(_ read: @escaping WatchReader) {
        withState {
            $0.isOneProperty = description.line == nil
            if reader == nil { reader = read }
        }
    }

    /// Whether setting it notifies observers of the property itself.
    var isAutomatic: Bool { description.policy.isAutomatic }

    // MARK: Registrations on the property itself

    /// Records a registration, if its key path is known to name this property and nothing else.
    func add(
        _ registration: Registration, _ request: borrowing RegistrationRequest, ifKnownAt keyPath: AnyKeyPath,
        of object: AnyObject
    ) -> Bool {
        let isKnown = withState { state in
            state.isOneProperty && table.isOwnedLocked(by: object)
                && (state.lastSite?.keyPath === keyPath || description.keyPath === keyPath)
        }
        var leftover: AnyObject?
        if isKnown { _ = add(registration, request, at: keyPath, leaving: &leftover) }
        return isKnown
    }

    /// Records a registration.
    ///
    /// `equality` compares values for `.distinct`. Release `leftover` without a lock.
    ///
    /// - Returns: False if the source was removed, so that the caller must get a new one.
    func add(
        _ registration: Registration, _ request: borrowing RegistrationRequest, at keyPath: AnyKeyPath,
        comparing equality: AnyObject? = nil, leaving leftover: inout AnyObject?
    ) -> Bool {
        change(leaving: &leftover) { state in
            if state.isDropped { return false }
            let site = request.callSite(
                after: state.lastSite, at: keyPath,
                // Most registrations compare nothing, so they skip the lookup.
                keeping: equality == nil ? .nothing : request.keeping(type(of: keyPath).valueType),
                comparing: equality)
            state.lastSite = site
            registration.record(at: site)
            state.direct.append(registration)
            return true
        }
    }

    package func remove(_ number: RegistrationNumber) {
        // The result is released after leaving the lock.
        let removed = change { $0.direct.remove(number) }
        // The end of an announced change may never come.
        if isOpen, let open = openHere, open.isAnnounced, !recipients(manually: true).needsOld { open.old = nil }
        if EngineTrace.isOn { removed?.traceEnd() }
    }

    func registrations(_ number: RegistrationNumber) -> [Registration] { direct.registrations(number) }

    /// The registrations on the property itself, in their order.
    var direct: RegistrationList { withState { $0.direct } }

    // MARK: Watches that depend on the property

    /// Makes a watch depend on the property, which it did not yet; false if the source was removed, so that the caller
    /// must get a new one.
    func attach(_ watch: Watch) -> Bool {
        change { state in
            if !state.isDropped { state.watches.append(watch) }
            return !state.isDropped
        }
    }

    /// Makes the watches that depend on the property find their dependencies again.
    func relinkWatches() {
        for watch in dependents {
            watch.expectsNothing = true
            watch.relink()
        }
    }

    /// Delivers the changes that watches postponed while the property was being accessed.
    func deliverToPostponedWatches() {
        for watch in dependents { watch.deliverPostponed() }
    }

    func detach(_ watch: Watch) { change { $0.watches.remove(watch) } }

    /// Removes the kept recipients, because a watch has other registrations, or ends at another property.
    func forgetRecipients() { change { _ in } }

    // MARK: Recipients

    /// Borrows the recipients, unless they are lent or unknown.
    @inline(__always)
    func borrow() -> Unretained<Recipients>? { unsafe loan.borrow().map { unsafe Unretained(lent: $0) } }

    /// Borrows the recipients, after finding them if they are unknown, unless a change of the property is open.
    @inline(__always)
    func borrowUnlessOpen() -> Unretained<Recipients>? {
        guard let recipients = unsafe loan.borrow().map({ unsafe Unretained(lent: $0) }) ?? borrowFound() else {
            return nil
        }
        if opener.load(ordering: .relaxed) == 0 { return recipients }
        giveBack(recipients)
        return nil
    }

    @inline(never)
    private func borrowFound() -> Unretained<Recipients>? {
        isOpen || recipients(manually: false).isEmpty ? nil : borrow()
    }

    /// Gives back borrowed recipients.
    @usableFromInline
    func giveBack(_ recipients: Unretained<Recipients>) { unsafe loan.giveBack(recipients.unmanaged) }

    /// The recipients of a change made now, including observers of a watch at the property's own key path.
    func recipients(manually isManual: Bool, with own: Watch? = nil) -> Recipients {
        let isAutomatic = isAutomatic
        guard isAutomatic || isManual else { return .none }
        let (lendable, direct, known, version) = withState { state in
            (loan.current(), state.direct, state.watches.elements, self.version)
        }
        if own == nil, let lendable { return lendable }
        var watches = known
        if let own, !watches.contains(where: { $0 === own }) { watches.append(own) }
        if direct.isEmpty, watches.isEmpty { return .none }
        // A watch has a lock of its own, which is never taken under another lock.
        let recipients = self.recipients(
            of: direct, ContiguousArray(watches.compactMap { $0.entry(at: self) }), version: version)
        // If setting the property does not notify, a set must not borrow these.
        guard own == nil, !recipients.isEmpty, isAutomatic || self.isManual else { return recipients }
        withState { _ in
            if self.version == version { loan.keep(recipients) }
        }
        return recipients
    }

    /// The observers of the property and of watches.
    func recipients(
        of direct: RegistrationList, _ watches: ContiguousArray<WatchEntry>, version: UInt32 = 0
    ) -> Recipients {
        Recipients(
            direct: direct, watches: watches, of: (ObjectIdentifier(self), description.valueType), version: version)
    }

    /// The watches that depend on the property.
    var dependents: ContiguousArray<Watch> { withState { $0.watches.elements } }

    var version: UInt32 { versionNumber.load(ordering: .acquiring) }

    // MARK: The end

    /// Ends all registrations, because the object is dying.
    ///
    /// - Returns: Objects to release without a lock.
    func endWithOwner() -> Any {
        let (old, recalled) = unsafe table.lock.withLock { () -> (State, Unmanaged<Recipients>?) in
            defer { state = State(isDropped: true) }
            return unsafe (state, loan.recall())
        }
        for registration in old.direct.all {
            registration.end()
            if EngineTrace.isOn { registration.traceEnd() }
        }
        unsafe recalled?.release()
        if isOpen, openMutation?.isAnnounced ?? false { Self.noteDeath(beforeEndAt: description.keyPath) }
        return old
    }

    /// Notes once that an object died before an announced change of it ended.
    private static func noteDeath(beforeEndAt keyPath: AnyKeyPath) {
        KeyValueDiagnostics.noteOnce(
            """
            a \(TypeName.text(of: Swift.type(of: keyPath).rootType)) died after willChangeValue(for:) of its \
            \(PropertyNames.text(of: keyPath)), before didChangeValue(for:) was called on the same thread. That change \
            was not delivered. Use changeValue(for:), which calls both.
            """)
    }

    /// Changes the observers of the property, removes the kept recipients, and updates the table.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        var leftover: AnyObject?
        // It may hold the last reference to a handler and its captures.
        defer { if leftover != nil { Tracking.suspended { leftover = nil } } }
        return change(leaving: &leftover, body)
    }

    private func change<Result>(leaving leftover: inout AnyObject?, _ body: (inout State) -> Result) -> Result {
        let (result, recalled) = unsafe table.lock.withLock { () -> (Result, Unmanaged<Recipients>?) in
            let recalled = unsafe loan.recall()
            versionNumber.wrappingAdd(1, ordering: .sequentiallyConsistent)
            let result = body(&state)
            if isManual {
                dropIfUnused(&state)
            } else {
                table.setObservedLocked(isObservedLocked, self)
            }
            return unsafe (result, recalled)
        }
        leftover = unsafe recalled?.takeRetainedValue()
        return result
    }

    /// Removes the source from its table, if it is found by its key path and not used.
    func dropIfUnused() { withState { dropIfUnused(&$0) } }

    // Under the lock.
    private func dropIfUnused(_ state: inout State) {
        guard !state.isObserved, !state.isDropped, opener.load(ordering: .sequentiallyConsistent) == 0 else { return }
        state.isDropped = true
        table.dropLocked(self)
    }

    /// Whether the property counts as observed; call it under the lock.
    var isObservedLocked: Bool { state.isObserved }
}
