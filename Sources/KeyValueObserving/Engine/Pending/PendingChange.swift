// A change that has begun and not ended.

/// A change that has begun and not ended, while code of others may run: getters, handlers that are called before the
/// change, an access in place, or whatever stands between `willChangeValue` and `didChangeValue`.
///
/// The record of its property knows it, and so two rules hold. A change of a property that is already changing on this
/// thread belongs to that change. And a path that is led to the property meanwhile is notified when the change ends.
/// What the observers of paths are notified of is up to each path: see ``Engagement``.
@usableFromInline
class PendingChange: @unchecked Sendable {
    let record: PropertyRecord
    /// The thread on which it began.
    let thread: UInt64
    /// Registrations with a later number are not part of the change.
    let newestNumber: RegistrationNumber
    // The lock of the record's table makes accesses exclusive.
    @exclusivity(unchecked) private final var paths: ContiguousArray<PathChange> = []
    @exclusivity(unchecked) private final var isDirty = false

    /// Records of the same property that were made later.
    @exclusivity(unchecked) private final var adopters: [PropertyRecord] = []

    /// How often evaluations are repeated at most where getters change what they read.
    private static let mostRounds = 8

    /// A change that begins on this thread.
    ///
    /// - Parameters:
    ///   - record: The property.
    ///   - newestNumber: The number of the last registration that takes part: found before the recipients were, or theirs.
    @usableFromInline
    init(_ record: PropertyRecord, _ newestNumber: UInt64) {
        self.record = record
        self.newestNumber = newestNumber
        thread = ThisThread.number
    }

    private final func withPaths<Result>(_ body: (inout ContiguousArray<PathChange>) -> Result) -> Result {
        record.withLock { unsafe body(&paths) }
    }

    /// Notes that the change concerns some paths; to be called before the record knows the change.
    ///
    /// - Parameters:
    ///   - members: The paths, with what is known of them.
    ///   - announced: The path whose own change is announced.
    final func include(_ members: ContiguousArray<Recipients.PathMembers>, announced: ObservedPath? = nil) {
        unsafe paths.reserveCapacity(members.count)
        for member in members {
            unsafe paths.append(
                PathChange(
                    member, leaf: member.leaf, newestNumber: newestNumber, isAnnounced: member.path === announced))
        }
    }

    /// Notes that the change concerns a path that is being led to the property, on any thread.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - isQuiet: Whether its observers are only notified of what others defer; then the record need not know the
    ///     change.
    final func includePath(_ path: ObservedPath, isQuiet: Bool = false) {
        guard let core = path.core else { return }
        // Who registered at the path before it was led here would be left with another value than it has.
        let newestNumber = path.isEvaluated ? Registration.newestNumber : newestNumber
        let change = PathChange(
            Recipients.PathMembers(path, core, leaf: nil, path.registrations), newestNumber: newestNumber,
            isQuiet: isQuiet)
        let isNew = withPaths { paths in
            guard isQuiet || record.isPendingLocked(self), !paths.contains(where: { $0.path === path }) else {
                return false
            }
            paths.append(change)
            return true
        }
        if !isNew { path.endChange() }
    }

    /// Notes that another record knows the change too; to be called under the lock.
    final func adoptLocked(by record: PropertyRecord) { unsafe adopters.append(record) }

    /// The other records that know the change, which forget it now; to be called under the lock.
    final func adoptersLocked() -> [PropertyRecord] {
        defer { unsafe adopters = [] }
        return unsafe adopters
    }

    /// Whether it concerns a path.
    final func concerns(_ path: ObservedPath) -> Bool { withPaths { $0.contains { $0.path === path } } }

    /// Notes that others had to defer what they mean to a path.
    final func noteDeferred(_ path: ObservedPath) {
        for change in withPaths({ $0 }) where change.path === path { change.isDeferred = true }
    }

    /// Notes that a change of the same property was made inside this one.
    final func becomeDirty() { record.withLock { unsafe isDirty = true } }

    /// What a change finds that wants to end.
    enum Ending {
        case over
        /// There are paths that it has not evaluated.
        case morePaths
        /// A change of the same property was made inside it since it evaluated paths.
        case dirty
    }

    /// Whether the change may end; to be called under the lock.
    ///
    /// - Parameter known: How many paths it has evaluated.
    /// - Returns: What is to be done first.
    final func endingLocked(knowing known: Int) -> Ending {
        if unsafe isDirty {
            unsafe isDirty = false
            return .dirty
        }
        return unsafe paths.count == known ? .over : .morePaths
    }

    /// Lets go of what the paths are until `takeUp`.
    final func letGo() {
        for change in withPaths({ $0 }) { change.letGo() }
    }

    /// Finds out what the paths are.
    final func takeUp() {
        for change in withPaths({ $0 }) { change.takeUp() }
    }

    /// Ends a change that the record does not know.
    final func abandon() {
        for change in withPaths({ $0 }) { change.path.endChange() }
    }

    // MARK: Before the change

    /// Reads the values of paths that somebody needs before the change.
    ///
    /// - Parameters:
    ///   - object: The object that changes.
    ///   - isQuiet: Whether to look at those paths whose observers are only notified of what others defer.
    final func readOldValues(of object: AnyObject, isQuiet: Bool = false) {
        for change in withPaths({ $0 }) where change.isOldToBeRead && change.isQuiet == isQuiet {
            change.readOldValue(of: object)
        }
    }

    /// Finds the paths whose value is what the property stores, although they may be computed from it.
    ///
    /// - Parameters:
    ///   - object: The object that changes.
    ///   - isStored: Says whether a path's value is what the property stores.
    final func findStoredValues(of object: AnyObject, _ isStored: (PathCore, BoxedValue) -> Bool) {
        for change in withPaths({ $0 }) where change.leaf == nil && !change.isAnnounced {
            guard !change.path.isBlocked, let core = change.core,
                let leaf = change.path.possibleLeaf(core, at: record), let root = change.root(or: object)
            else { continue }
            let value = change.path.knownValue ?? core.value(from: root)
            if isStored(core, value) { change.storedLeaf = leaf }
        }
    }

    /// Calls those who are called before the change.
    final func deliverPrior(
        to recipients: Recipients, of object: AnyObject, elements: ElementsChange?, old: UnsafeRawPointer?
    ) {
        guard recipients.hasPriors else { return }
        let recipients = Transaction.current?.priorRecipients(of: record, object, among: recipients) ?? recipients
        let changes = withPaths { $0 }
        for change in changes {
            change.root = change.root(or: object)
            change.values = change.prior(isOfElements: elements != nil)
        }
        unsafe deliver(changes, to: recipients, of: object, elements, isPrior: true, old: old, new: nil)
        // Until the change has been made, only the change keeps the object alive.
        for change in changes { change.root = nil }
    }

    // MARK: After the change

    /// Evaluates the paths that the change concerns, and takes it off the record.
    ///
    /// - Parameters:
    ///   - object: The object that changed.
    ///   - isOfElements: Says whether a path's new value is what the property stores, where elements changed.
    /// - Returns: What the change means to the paths.
    final func finish(
        of object: AnyObject, isOfElements: ((PathCore, BoxedValue) -> Bool)? = nil
    ) -> ContiguousArray<PathChange> {
        var known = 0
        var rounds = 0
        while true {
            let changes = withPaths { $0 }
            for index in known..<changes.count { begin(changes[index], object) }
            known = changes.count
            switch record.end(self, knowing: known) {
            case .morePaths: continue
            case .dirty where rounds < Self.mostRounds:
                rounds += 1
                for change in changes where change.new != nil { read(change) }
            case .dirty: continue
            case .over:
                for change in changes { conclude(change, isOfElements) }
                return changes
            }
        }
    }

    /// Finds out what a path's observers are notified of, or the new value to be delivered.
    private final func begin(_ change: PathChange, _ object: AnyObject) {
        change.root = change.root(or: object)
        switch change.root == nil || change.isQuiet && !change.isDeferred
            ? .over : change.path.conclusion(of: change, at: record, record.withLock { unsafe adopters })
        {
        case .over:
            change.root = nil
            change.path.endChange()
        case .deferred:
            change.root = nil
        case .alone(let leaf):
            change.values = .made(leaf)
        case .evaluation(let version):
            change.version = version
            read(change)
        }
    }

    private final func read(_ change: PathChange) {
        guard let core = change.core, let root = change.root else { return }
        if change.new != nil { change.version = change.path.knownVersion }
        change.new = change.path.evaluate(core, from: root)
    }

    /// Decides what a path's observers are notified of.
    private final func conclude(_ change: PathChange, _ isOfElements: ((PathCore, BoxedValue) -> Bool)?) {
        var rounds = 0
        while let new = change.new {
            guard
                case .deliver(let old) = change.path.conclude(
                    new, readAt: rounds < Self.mostRounds ? change.version : nil)
            else {
                rounds += 1
                read(change)
                continue
            }
            change.new = nil
            change.values = values(of: change, old: old, new: new, rounds == 0 ? isOfElements : nil)
        }
    }

    private final func values(
        of change: PathChange, old: BoxedValue?, new: BoxedValue, _ isOfElements: ((PathCore, BoxedValue) -> Bool)?
    ) -> PathChange.Values {
        if let isOfElements {
            if change.isAnnounced { return .made(.same) }
            if let leaf = change.storedLeaf, let core = change.core, isOfElements(core, new) { return .made(leaf) }
        }
        if old == nil, let leaf = change.leaf ?? (change.isAnnounced ? .same : nil) {
            return .madeOld(leaf, new: new)
        }
        return .own(old: old, new: new)
    }

    /// Calls the recipients.
    ///
    /// - Parameters:
    ///   - changes: What the change means to paths.
    ///   - recipients: Who was to be notified when the change began.
    ///   - object: The object that changed.
    ///   - elements: How some elements changed; nil if the whole value was set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - old: Points to the old value or elements, as an optional.
    ///   - new: Points to the new value or elements, as an optional.
    final func deliver(
        _ changes: ContiguousArray<PathChange>, to recipients: Recipients, of object: AnyObject,
        _ elements: ElementsChange?, isPrior: Bool = false, old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        if !isPrior, let transaction = Transaction.current {
            return unsafe transaction.note(self, changes, of: object, elements, old: old, new: new)
        }
        // Paths may have been led to the property since.
        let recipients = recipients.paths.count == changes.count ? recipients : currentRecipients(changes)
        unsafe withUnsafePointer(to: changes) { changes in
            unsafe Delivery.run(
                Delivery(
                    to: .passUnretained(recipients), of: .passUnretained(object), paths: changes,
                    elements: elements.map { unsafe .passUnretained($0) }, isPrior: isPrior,
                    newestNumber: newestNumber, old: old, new: new))
        }
        withExtendedLifetime((recipients, object, elements)) {}
    }

    /// Those on the property, and those at the paths that the change concerns; who came too late is left out later.
    final func currentRecipients(_ changes: ContiguousArray<PathChange>) -> Recipients {
        Recipients(direct: record.direct, paths: currentMembers(changes))
    }

    /// Those at the paths that the change concerns.
    final func currentMembers(_ changes: ContiguousArray<PathChange>) -> ContiguousArray<Recipients.PathMembers> {
        ContiguousArray(
            changes.map { Recipients.PathMembers($0.path, $0.core, leaf: $0.leaf, $0.path.registrations) })
    }
}
