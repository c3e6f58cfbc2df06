// Who observes one property of an object.
import Synchronization

/// Who observes one property of an object: the registrations on the property itself and the paths that lead through it.
///
/// A record of a stored property is made when the property is first observed or read by a path, and stays as long as
/// the object's table. That of a property that notifies manually is found by its key path. It goes with its last use, or
/// when the property turns out to be a stored one.
/// The lock of the table guards the state; what a transition leaves to be released is released after the lock.
@usableFromInline
@safe final class PropertyRecord: RegistrationKeeper, KeyPathNamed, @unchecked Sendable {
    let table: ObservationTable
    let property: PropertyIdentity
    /// The record before it on the table's list of stored properties, which this retains.
    let next: Unretained<PropertyRecord>?
    /// The recipients, from the first change that asked until somebody comes or goes.
    private let loan = RecipientsLoan<Recipients>()
    /// How many changes of the property are pending, on any thread.
    ///
    /// It is changed under the lock, and read without it by a thread that only wants to know of its own changes.
    private let pendingCount = Atomic<UInt32>(0)
    /// How often somebody came or went; changed under the lock, and read without it where another lock orders both.
    private let versionNumber = Atomic<UInt32>(0)
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) private var state: State
    // After the state, which leaves half a word.
    /// The hash of the key path, if the property notifies manually.
    let nameHash: KeyPathName.Hash

    private struct State {
        /// Nil until the property is read by its name.
        var description: PropertyDescription?
        var direct = RegistrationList()
        /// The call site of the registration made last, for the next one; its key path names the property.
        var lastSite: CallSite?
        /// Paths that depend on the property.
        var paths = CountedObjects<ObservedPath>()
        var pending: ContiguousArray<PendingChange> = []
        /// How many accesses in place are under way: one for each thread at most, unless the value has no size.
        var accesses: UInt16 = 0
        /// Whether its own key path names the property and nothing else, so that observers need no path.
        var isPlain = false
        /// Whether it was taken off the table.
        var isDropped = false

        var isAutomatic: Bool { description?.policy.isAutomatic ?? true }
        /// Whether a change under way on a thread speaks for another one there.
        func isNested(on thread: UInt64) -> Bool { accesses > 0 || pending.contains { $0.thread == thread } }
        /// Whether setting it notifies, and no change of it is under way on any thread.
        var isFree: Bool { isAutomatic && pending.isEmpty && accesses == 0 }
        var isUsed: Bool { !direct.isEmpty || !paths.isEmpty || !pending.isEmpty }
    }

    /// The record of a stored property.
    init(of property: PropertyIdentity, in table: ObservationTable, next: Unretained<PropertyRecord>?) {
        self.table = table
        self.property = property
        self.next = next
        nameHash = 0
        state = State()
    }

    /// The record of a property that notifies manually.
    init(at name: KeyPathName, in table: ObservationTable, _ description: PropertyDescription) {
        self.table = table
        property = .manual
        next = nil
        nameHash = name.hash
        state = State(description: description)
    }

    deinit {
        unsafe next?.unmanaged.release()
    }

    var isManual: Bool { property == .manual }
    func isNamed(_ name: KeyPathName) -> Bool {
        keyPath.map { KeyPathName($0, hash: nameHash).isSame(as: name) } ?? false
    }
    var hasEnded: Bool { table.hasEnded }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        table.lock.withLock { body(&state) }
    }

    // MARK: What is known of the property

    var description: PropertyDescription? { withState { $0.description } }

    /// The key path that names the property, as far as that is known.
    var keyPath: AnyKeyPath? { description?.keyPath }

    /// Whether a key path is equal to the one that names the property.
    func isNamed(exactly keyPath: AnyKeyPath) -> Bool { self.keyPath == keyPath }

    /// Notes what the property is, if only a view of it was known.
    func describe(_ description: PropertyDescription) {
        withState { state in
            if state.description?.keyPath == nil { state.description = description }
        }
    }

    /// Notes that the property's own key path names it and nothing else.
    func becomePlain() { withState { $0.isPlain = true } }

    /// Whether setting it notifies.
    var isAutomatic: Bool { withState { $0.isAutomatic } }

    /// Whether setting it notifies its own observers, or may notify those of paths.
    var mayNotifyWhenSet: Bool { withState { $0.isAutomatic || !$0.paths.isEmpty } }

    /// Whether it is being accessed in place.
    var isAccessed: Bool { withState { $0.accesses > 0 } }

    // MARK: Registrations on the property itself

    /// Records a registration if its key path is known to name the property of this object and nothing else.
    func add(
        _ registration: Registration, _ request: borrowing RegistrationRequest, ifKnownAt keyPath: AnyKeyPath,
        of object: AnyObject
    ) -> Bool {
        let isKnown = withState { state in
            state.isPlain && table.isOwnedLocked(by: object)
                && !(request.options.contains(.prior) && state.description?.isShared ?? false)
                && (state.lastSite?.keyPath === keyPath || state.description?.keyPath === keyPath)
        }
        if isKnown { add(registration, request, at: keyPath) }
        return isKnown
    }

    /// Records a registration.
    func add(_ registration: Registration, _ request: borrowing RegistrationRequest, at keyPath: AnyKeyPath) {
        change { state in
            let site = request.callSite(after: state.lastSite, at: keyPath)
            state.lastSite = site
            registration.record(at: site)
            state.direct.append(registration)
        }
    }

    /// Records a registration for which another one was made before, with that one's number, unless that has been done.
    func add(
        _ registration: Registration, _ request: borrowing RegistrationRequest, at keyPath: AnyKeyPath,
        as number: RegistrationNumber
    ) {
        change { state in
            registration.record(at: request.callSite(after: nil, at: keyPath), as: number)
            state.direct.insert(registration)
        }
    }

    func remove(_ number: RegistrationNumber) {
        // The result is released here, without the lock.
        let removed = change { $0.direct.remove(number) }
        if _slowPath(EngineTrace.isOn), let removed, removed.isOfKeyPath { removed.traceEnd() }
    }

    func becomeIgnorable(_ number: RegistrationNumber) -> [RegistrationNumber] {
        direct.becomeIgnorable(number)
    }

    /// The registrations on the property itself, in their order.
    var direct: RegistrationList { withState { $0.direct } }

    // MARK: Paths that lead through the property

    /// Makes a path depend on the property.
    ///
    /// - Returns: The changes of the property that are pending, which concern the path from now on; nil if the record
    ///   is not used any more and another one is to be asked for.
    func attach(_ path: ObservedPath) -> ContiguousArray<PendingChange>? {
        change { state in
            guard !state.isDropped else { return nil }
            state.paths.insert(path)
            return state.pending
        }
    }

    /// The paths that depend on the property.
    var dependents: ContiguousArray<ObservedPath> { withState { $0.paths.unique } }

    /// Whether a path depends on the property, or is being evaluated and about to read it.
    func isAttached(_ path: ObservedPath) -> Bool { withState { $0.paths.contains(path) } }

    /// Takes back one `attach`.
    func detach(_ path: ObservedPath) {
        change { $0.paths.remove(path) }
    }

    // MARK: Changes

    /// What a change finds when it begins.
    enum Standing {
        /// A change under way on this thread speaks for it.
        case nested
        case nobody
        case recipients(Recipients)
    }

    /// Borrows the recipients, unless they are lent or not known, or a change of the property is pending.
    @inline(__always)
    func borrow() -> Unretained<Recipients>? {
        guard let recipients = unsafe loan.borrow() else { return nil }
        if pendingCount.load(ordering: .relaxed) == 0 { return unsafe Unretained(lent: recipients) }
        unsafe loan.giveBack(recipients)
        return nil
    }

    /// Gives back what was borrowed.
    @usableFromInline
    func giveBack(_ recipients: Unretained<Recipients>) { unsafe loan.giveBack(recipients.unmanaged) }

    /// Whether what was borrowed is still who is to be notified.
    func isLent(_ recipients: Unretained<Recipients>) -> Bool { unsafe loan.isLent(recipients.unmanaged) }

    /// Who is notified of a change of the property that begins on this thread.
    ///
    /// - Parameter manually: Whether it is announced manually, so that it notifies where a set does not.
    /// - Returns: Them, or why there are none.
    func standing(manually: Bool = false) -> Standing {
        let thread = ThisThread.number
        let (isNested, isAutomatic, known) = withState { state in
            (
                state.isNested(on: thread), state.isAutomatic, loan.current()
            )
        }
        if isNested { return .nested }
        guard manually || isAutomatic else { return .nobody }
        let recipients = known ?? gather(keeping: isLendable(isAutomatic))
        return recipients.isEmpty ? .nobody : .recipients(recipients)
    }

    /// The same for a change that is only noted, since a transaction is open: who is notified need not be listed.
    ///
    /// - Parameter needs: What those on the property itself need.
    /// - Returns: Them, or why there are none.
    func standing(unlisted needs: (RegistrationList) -> Recipients.Needs) -> Standing {
        let thread = ThisThread.number
        let (isNested, isAutomatic, direct, dependents) = withState { state in
            (
                state.isNested(on: thread), state.isAutomatic, state.direct, state.paths.unique
            )
        }
        if isNested { return .nested }
        guard isAutomatic else { return .nobody }
        var isLasting = false
        let paths = ContiguousArray(dependents.compactMap { $0.recipients(at: self, &isLasting, on: thread) })
        if direct.isEmpty, paths.isEmpty { return .nobody }
        return .recipients(Recipients(unlisted: needs(direct), paths: paths))
    }

    /// Who is notified if the property changes now, whichever way.
    var recipients: Recipients {
        let (isAutomatic, known) = withState { ($0.isAutomatic, loan.current()) }
        return known ?? gather(keeping: isLendable(isAutomatic))
    }

    /// Whether recipients may be kept: where setting the property does not notify, nothing is to be lent to a set.
    private func isLendable(_ isAutomatic: Bool) -> Bool { isAutomatic || isManual }

    /// Finds the recipients anew.
    ///
    /// - Parameter isLendable: Whether to keep them for the next change.
    /// - Returns: The recipients.
    private func gather(keeping isLendable: Bool) -> Recipients {
        // Listed under the lock: a long list is one object, which is changed in place.
        let (direct, paths, version) = withState { ($0.direct, $0.paths.unique, self.version) }
        if direct.isEmpty, paths.isEmpty { return .none }
        var isLasting = isLendable
        var members = ContiguousArray<PathRecipients>()
        for path in paths {
            // A path has a lock of its own, which is never taken under another one.
            guard let member = path.recipients(at: self, &isLasting) else { continue }
            members.append(member)
        }
        let recipients = Recipients(direct: direct, paths: members)
        // An evaluation under way may leave the property again without reporting it: such recipients are for this
        // change only.
        guard isLasting, !recipients.isEmpty else { return recipients }
        withState { _ in
            if self.version == version { loan.keep(recipients) }
        }
        return recipients
    }

    /// Makes the next change find its recipients anew: a path has other registrations, or ends elsewhere.
    func forgetRecipients() { change { _ in } }

    /// Notes that a change is pending; false if another one on this thread speaks for it.
    func begin(_ change: PendingChange) -> Bool {
        withState { state in
            guard !state.isDropped, !state.pending.contains(where: { $0.thread == change.thread }) else { return false }
            note(change, &state)
            return true
        }
    }

    /// Whether it was taken off the table, so that nobody finds it any more; to be called under the lock.
    var isDroppedLocked: Bool { state.isDropped }

    /// Notes a change that began before the record was made; to be called under the lock.
    ///
    /// - Parameter change: The change; nil if it has ended meanwhile.
    func settleLocked(_ change: PendingChange?) {
        if let change { note(change, &state) }
        dropIfUnused(&state)
    }

    private func note(_ change: PendingChange, _ state: inout State) {
        state.pending.append(change)
        pendingCount.store(UInt32(state.pending.count), ordering: .relaxed)
    }

    /// Notes that a change is over, unless there is something to be done first.
    ///
    /// - Returns: Whether it is over.
    func end(_ change: PendingChange) -> PendingChange.Ending {
        withState { state in
            let ending = change.endingLocked()
            guard case .over = ending else { return ending }
            forget(change, &state)
            for record in change.adoptersLocked() { record.forget(change, &record.state) }
            dropIfUnused(&state)
            return ending
        }
    }

    private func forget(_ change: PendingChange, _ state: inout State) {
        if let index = state.pending.firstIndex(where: { $0 === change }) { state.pending.remove(at: index) }
        pendingCount.store(UInt32(state.pending.count), ordering: .relaxed)
    }

    /// Takes over the pending changes of a record that was found by a key path, before that was known to name this
    /// property.
    ///
    /// - Parameters:
    ///   - other: The other record.
    ///   - object: The object that has the property.
    func adoptChanges(of other: PropertyRecord, in object: AnyObject?) {
        let (adopted, paths) = withState { state in
            let adopted = other.state.pending.filter { change in !state.pending.contains { $0 === change } }
            for change in adopted {
                note(change, &state)
                change.adoptLocked(by: self)
            }
            return (adopted, state.paths.unique)
        }
        // Paths that read the property through its view are notified when these changes end.
        guard let object else { return }
        for change in adopted {
            for path in paths { change.includePath(path)?.findOldValue(of: object) }
        }
    }

    /// Whether a change is pending; to be called under the lock.
    func isPendingLocked(_ change: PendingChange) -> Bool { state.pending.contains { $0 === change } }

    /// Runs a transition of a change that is pending, under the lock.
    func withLock<Result>(_ body: () -> Result) -> Result { table.lock.withLock(body) }

    /// The registrations on the property itself, if setting it notifies them and nobody else, and no change of it is
    /// pending; with how often somebody came or went.
    var directIfAlone: (direct: RegistrationList, version: UInt32)? {
        withState { state in
            let isAlone = state.isFree && state.paths.isEmpty && !state.direct.isEmpty
            return isAlone ? (state.direct, self.version) : nil
        }
    }

    /// How often somebody came or went.
    var version: UInt32 { versionNumber.load(ordering: .acquiring) }

    /// Whether setting it notifies, no change of it is under way, and nobody came or went since `version`.
    func isFree(since version: UInt32) -> Bool { withState { self.version == version && $0.isFree } }

    /// The change of this thread that is pending, if there is one.
    func pendingOnThisThread() -> PendingChange? { pending(on: ThisThread.number) }

    /// The pending change that began on a thread, if there is one.
    func pending(on thread: UInt64) -> PendingChange? {
        withState { $0.pending.first { $0.thread == thread } }
    }

    /// Notes that an access in place begins.
    ///
    /// - Parameter change: The change that it makes, if that is not known to be pending; it concerns no paths.
    /// - Returns: The paths that must not be evaluated until it ends.
    func beginAccess(of change: PendingChange? = nil) -> ContiguousArray<ObservedPath> {
        withState { state in
            if let change { note(change, &state) }
            state.accesses += 1
            return state.paths.unique
        }
    }

    /// Calls `body` under the lock if the property is being accessed in place.
    ///
    /// - Returns: Whether it is.
    func ifAccessed(_ body: () -> Void) -> Bool {
        withState { state in
            if state.accesses > 0 { body() }
            return state.accesses > 0
        }
    }

    /// What ends the changes that were to end while the property was accessed in place, unless it still is.
    func takePostponedEnds() -> ContiguousArray<() -> Void> {
        guard pendingCount.load(ordering: .relaxed) > 0 else { return [] }
        return withState { state in
            guard state.accesses == 0 else { return [] }
            return ContiguousArray(state.pending.compactMap { $0.takePostponedEndLocked() })
        }
    }

    func endAccess() { withState { $0.accesses -= 1 } }

    /// Takes the record off its table, unless paths depend on it: the property has turned out to be a stored one.
    ///
    /// What is announced from here on is announced of that.
    ///
    /// - Returns: Whether it was taken off.
    func giveWay() -> Bool {
        withState { state in
            guard state.paths.isEmpty, !state.isDropped else { return false }
            drop(&state)
            return true
        }
    }

    /// Takes the record off its table if it is found by its key path and nobody needs it; to be called under the lock.
    private func dropIfUnused(_ state: inout State) {
        if isManual, !state.isUsed, !state.isDropped { drop(&state) }
    }

    private func drop(_ state: inout State) {
        state.isDropped = true
        table.dropLocked(self)
    }

    /// Ends everything: the object is gone.
    ///
    /// - Returns: What is to be released without a lock.
    func endWithOwner() -> AnyObject? {
        final class Leftovers {
            let state: State
            let adopted: [AnyObject?]

            init(_ state: State, _ adopted: [AnyObject?]) {
                self.state = state
                self.adopted = adopted
            }
        }
        let (old, recalled) = unsafe table.lock.withLock { () -> (State, Unmanaged<Recipients>?) in
            defer {
                state = State(description: state.description, isDropped: true)
                pendingCount.store(0, ordering: .relaxed)
            }
            return unsafe (state, loan.recall())
        }
        for registration in old.direct.all { registration.end() }
        if _slowPath(EngineTrace.isOn) { old.direct.traceEnd() }
        unsafe recalled?.release()
        // Records that have given way to this one are known only to their changes.
        let adopted = old.pending.map(\.record).filter { $0 !== self }.map { $0.endWithOwner() }
        // A change that holds its object cannot be pending when that is gone.
        if !old.pending.isEmpty, let keyPath = old.description?.keyPath { Announcement.noteDeath(beforeEndAt: keyPath) }
        return Leftovers(old, adopted)
    }

    /// Changes who observes the property: the recipients are forgotten, and the table brought up to date.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, recalled) = unsafe table.lock.withLock { () -> (Result, Unmanaged<Recipients>?) in
            let recalled = unsafe loan.recall()
            let result = body(&state)
            dropIfUnused(&state)
            if !isManual { table.setObservedLocked(isObservedLocked, self) }
            // Last, for who reads it without the lock and then looks whether somebody observes the property.
            versionNumber.wrappingAdd(1, ordering: .releasing)
            return unsafe (result, recalled)
        }
        if pendingCount.load(ordering: .relaxed) > 0 { releaseOldValues() }
        if let recalled = unsafe recalled {
            // It may be the last to hold a handler, and what that holds.
            Tracking.suspended { unsafe recalled.release() }
        }
        return result
    }

    /// Releases what changes that never end would keep, if nobody needs it any more.
    private func releaseOldValues() {
        let values = withState { state -> [BoxedValue] in
            guard state.paths.isEmpty, !state.direct.needs.contains(.old) else { return [] }
            return state.pending.compactMap { $0.takeOldValueLocked() }
        }
        // They are released without the lock.
        withExtendedLifetime(values) {}
    }

    /// Whether the property counts as observed; to be called under the lock.
    var isObservedLocked: Bool {
        !state.paths.isEmpty || !state.direct.isEmpty
    }
}
