// A change that has begun and not ended.

/// A change that has begun and not ended, while code of others may run: getters, handlers that are called before the
/// change, an access in place, or whatever stands between `willChangeValue` and `didChangeValue`.
///
/// The record of its property knows it, and so two rules hold. A change of a property that is already changing on this
/// thread belongs to that change. And a path that is led to the property meanwhile is notified when the change ends.
/// What the observers of paths are notified of is up to each path: see ``Engagement``.
@usableFromInline
class PendingChange: PathReports, @unchecked Sendable {
    let record: PropertyRecord
    /// The thread on which it began.
    private(set) final var thread: UInt64
    /// Registrations with a later number are not part of the change.
    @safe @exclusivity(unchecked) private(set) final var newestNumber: RegistrationNumber
    /// What it means to the paths that it is known to concern.
    ///
    /// Only its own thread writes it, and does so under the lock from the moment when the record knows the change.
    @safe @exclusivity(unchecked) private(set) final var paths: ContiguousArray<PathChange> = []
    // The lock of the record's table makes accesses exclusive.
    /// The same for paths that were led to the property since.
    @safe @exclusivity(unchecked) private final var newPaths: ContiguousArray<PathChange> = []
    /// The identities of all these paths, if they are many; empty until somebody asks.
    @safe @exclusivity(unchecked) private final var concerned: Set<ObjectIdentifier> = []
    @safe @exclusivity(unchecked) private final var isDirty = false

    /// Records of the same property that were made later.
    @safe @exclusivity(unchecked) private final var adopters: [PropertyRecord] = []

    /// How often evaluations are repeated at most where getters change what they read.
    static let mostRounds = 8
    /// How many paths are searched one after the other.
    private static let few = 16

    /// A change that begins on a thread.
    ///
    /// - Parameters:
    ///   - record: The property.
    ///   - newestNumber: The number of the last registration that takes part: found before the recipients were, or theirs.
    ///   - thread: The thread.
    init(_ record: PropertyRecord, _ newestNumber: UInt64, on thread: UInt64 = ThisThread.number) {
        self.record = record
        self.newestNumber = newestNumber
        self.thread = thread
        super.init()
    }

    /// A change that begins on this thread, and concerns the paths of some recipients.
    convenience init(_ record: PropertyRecord, _ newestNumber: UInt64, for recipients: Recipients) {
        self.init(record, newestNumber)
        include(recipients.paths)
    }

    /// Has the record know the change; one that came first on this thread would have left no recipients.
    final func becomePending() { _ = record.begin(self) }

    /// Notes that the change concerns some paths; to be called before the record knows the change.
    ///
    /// - Parameters:
    ///   - members: The paths, with what is known of them.
    ///   - announced: The path whose own change is announced.
    final func include(_ members: ContiguousArray<PathRecipients>, announced: ObservedPath? = nil) {
        paths.reserveCapacity(members.count)
        for member in members {
            paths.append(
                PathChange(
                    member, leaf: member.leaf, newestNumber: newestNumber, isAnnounced: member.path === announced))
        }
    }

    /// A change that begins on this thread, for recipients that it borrows: the last one of them once more, if nobody
    /// else holds it.
    static func borrowing(_ recipients: Recipients, of record: PropertyRecord) -> PendingChange {
        guard let last = recipients.spareChange.map({ unsafe unsafeDowncast($0, to: PendingChange.self) }) else {
            return PendingChange(record, recipients.newestNumber, for: recipients)
        }
        last.thread = ThisThread.number
        last.event = .unreported
        for index in recipients.paths.indices {
            last.pathChange(at: index).with { $0.beginAgain(for: recipients.paths[index]) }
        }
        return last
    }

    /// Leaves the change, which is over and has been delivered, to the next one that borrows the same recipients.
    ///
    /// If it came to concern more paths, nobody borrows these again: the record has forgotten them.
    final func leave(to recipients: Recipients) {
        for index in paths.indices { pathChange(at: index).with { $0.clear() } }
        recipients.spareChange = self
    }

    /// Notes that the change concerns a path that is being led to the property, on any thread.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - isQuiet: Whether its observers are only notified of what others defer; then the record need not know the
    ///     change.
    ///   - isLate: Whether the path was there when the record came to know the change.
    /// - Returns: What the change means to the path; nil if that has ended, or if the change is known to concern it.
    @discardableResult
    final func includePath(_ path: ObservedPath, isQuiet: Bool = false, isLate: Bool = false) -> PathChange? {
        guard let core = path.core else { return nil }
        let newestNumber =
            if isLate {
                newestNumber
            } else if path.isEvaluated {
                // Who registered at the path before it was led here would be left with another value than it has.
                Registration.newestNumber
            } else {
                // Who registers there has the path evaluated now, and comes after the change has begun.
                isQuiet ? newestNumber : 0
            }
        let change = PathChange(
            PathRecipients(path, core, leaf: nil, path.registrations), newestNumber: newestNumber,
            isQuiet: isQuiet)
        let isNew = record.withLock {
            guard isQuiet || record.isPendingLocked(self), !concernsLocked(path) else { return false }
            newPaths.append(change)
            if !concerned.isEmpty { concerned.insert(ObjectIdentifier(path)) }
            return true
        }
        if isNew { return change }
        path.endChange()
        return nil
    }

    /// Notes that the change concerns the paths that were led to the property after its recipients were found, and before
    /// the record knew the change.
    final func includeLatePaths(of object: AnyObject) {
        let dependents = record.dependents
        // As a rule there are none.
        if dependents.elementsEqual(paths, by: { $0 === $1.path }) { return }
        let known = DistinctObjects(ContiguousArray(paths.map(\.path)))
        for path in dependents where !known.contains(path) {
            includePath(path, isLate: true)?.findOldValue(of: object)
        }
    }

    private final func concernsLocked(_ path: ObservedPath) -> Bool {
        let count = paths.count + newPaths.count
        if count <= Self.few {
            return paths.contains { $0.path === path } || newPaths.contains { $0.path === path }
        }
        // Each is there once.
        if concerned.count != count { concerned = Set((paths + newPaths).map { ObjectIdentifier($0.path) }) }
        return concerned.contains(ObjectIdentifier(path))
    }

    /// What it means to all paths that it concerns by now.
    private final func allPaths() -> ContiguousArray<PathChange> {
        record.withLock { takeNewPathsLocked() }
        return paths
    }

    private final func takeNewPathsLocked() {
        if newPaths.isEmpty { return }
        paths += newPaths
        newPaths = []
    }

    /// Notes that another record knows the change too; to be called under the lock.
    final func adoptLocked(by record: PropertyRecord) { adopters.append(record) }

    /// The other records that know the change, which forget it now; to be called under the lock.
    final func adoptersLocked() -> [PropertyRecord] {
        defer { adopters = [] }
        return adopters
    }

    /// What it means to the path at an index, which it holds: paths are added to a change, and never removed.
    final func pathChange(at index: Int) -> Unretained<PathChange> { Unretained(paths[index]) }

    final override func report(at index: Int) -> Unretained<PathReport> { Unretained(paths[index]) }

    /// Makes registrations that were made since it began a part of the change: the property is being set only now.
    final func includeNewcomers() {
        newestNumber = Registration.newestNumber
        for change in paths { change.newestNumber = newestNumber }
    }

    /// Whether it concerns a path.
    final func concerns(_ path: ObservedPath) -> Bool { record.withLock { concernsLocked(path) } }

    /// Notes that others had to defer what they mean to some paths.
    final func noteDeferred(_ paths: [ObservedPath]) {
        if paths.isEmpty { return }
        let deferred = DistinctObjects(ContiguousArray(paths))
        for change in allPaths() where deferred.contains(change.path) { change.isDeferred = true }
    }

    /// Notes that a change of the same property was made inside this one.
    final func becomeDirty() { record.withLock { isDirty = true } }

    /// Whether one was made since the last time.
    final func takeDirty() -> Bool {
        record.withLock {
            defer { isDirty = false }
            return isDirty
        }
    }

    /// What a change finds that wants to end.
    enum Ending {
        case over
        /// There are more paths than before.
        case morePaths
        /// A change of the same property was made inside it since it evaluated paths.
        case dirty
    }

    /// Whether the change may end, or what is to be done first; to be called under the lock, on its thread.
    final func endingLocked() -> Ending {
        if isDirty {
            isDirty = false
            return .dirty
        }
        if newPaths.isEmpty { return .over }
        takeNewPathsLocked()
        return .morePaths
    }

    /// The value before the change, which nobody needs any more; to be called under the lock.
    func takeOldValueLocked() -> BoxedValue? { nil }

    /// What is to be done to end the change, if that had to wait for an access in place; to be called under the lock.
    func takePostponedEndLocked() -> (() -> Void)? { nil }

    /// Lets go of what the paths are until `takeUp`.
    final func letGo() {
        for change in allPaths() { change.letGo() }
    }

    /// Finds out what the paths are.
    final func takeUp() {
        for change in allPaths() { change.takeUp() }
    }

    /// Ends a change that the record does not know.
    final func abandon() {
        for change in allPaths() { change.path.endChange() }
    }

    // MARK: Before the change

    /// Finds the values of paths that somebody needs before the change.
    ///
    /// - Parameters:
    ///   - object: The object that changes.
    ///   - announced: The value of the key path that is announced, if it was read.
    ///   - version: The version of its path before it was read.
    final func findOldValues(of object: AnyObject, announced: BoxedValue? = nil, readAt version: Int? = nil) {
        for index in paths.indices {
            pathChange(at: index).with { $0.findOldValue(of: object, announced: announced, readAt: version) }
        }
    }

    /// Finds the values before it that only registrations need that were made since it began.
    final func findOldValuesForNewcomers(of object: AnyObject) {
        for change in allPaths() { change.findOldValueForNewcomers(of: object) }
    }

    /// Finds the paths whose value is what the property stores, although they may be computed from it.
    ///
    /// - Parameters:
    ///   - object: The object that changes.
    ///   - withLeaves: Whether paths that end at the property are asked for too: accesses to it may come in between, after
    ///     which these are evaluated.
    ///   - isStored: Says whether a path's value is what the property stores.
    final func findStoredValues(
        of object: AnyObject, withLeaves: Bool = false, _ isStored: (PathCore, BoxedValue) -> Bool
    ) {
        for change in allPaths() where !change.isAnnounced {
            if let leaf = change.leaf {
                // It has the property's value, unless its observers were notified of another.
                if withLeaves, change.path.knownValue == nil { change.storedLeaf = leaf }
                continue
            }
            guard !change.path.isBlocked, let core = change.core,
                let leaf = change.path.possibleLeaf(core, at: record.description), let root = change.root(or: object)
            else { continue }
            let value = change.path.knownValue ?? core.value(from: root)
            if isStored(core, value) { change.storedLeaf = leaf }
        }
    }

    /// Notes that some elements are about to change: what is delivered from here on may contain them.
    final func noteVersions() {
        for change in allPaths() where change.storedLeaf != nil || change.isAnnounced { change.noteVersion() }
    }

    /// Calls those who are called before the change.
    ///
    /// - Parameters:
    ///   - recipients: Finds who is called, once the change knows all paths that it concerns.
    ///   - object: The object that changes.
    ///   - elements: How some elements change; nil if the whole value is set.
    ///   - values: The old value or elements.
    ///   - isLeftOut: Says whether those at a path are called elsewhere.
    final func deliverPrior(
        to recipients: () -> Recipients, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues,
        exceptAt isLeftOut: (ObservedPath) -> Bool = { _ in false }
    ) {
        let changes = allPaths()
        let recipients = recipients()
        for change in changes where !isLeftOut(change.path) {
            change.root = change.root(or: object)
            change.values = change.prior(isOfElements: elements != nil)
        }
        deliver(to: recipients, of: object, elements, isPrior: true, values)
        for change in changes { change.forgetReport() }
    }

    // MARK: After the change

    /// Evaluates the paths that the change concerns, and takes it off the record.
    ///
    /// - Parameters:
    ///   - object: The object that changed.
    ///   - isOfElements: Says whether a path's new value is what the property stores, where elements changed.
    /// - Returns: Whether a change of the same property was made inside this one.
    @discardableResult
    final func finish(of object: AnyObject, isOfElements: ((PathCore, BoxedValue) -> Bool)? = nil) -> Bool {
        var isJoined = false
        var evaluated = 0
        var rounds = 0
        while true {
            // What code of others adds meanwhile is among the new ones.
            evaluatePaths(from: evaluated, of: object)
            evaluated = paths.count
            switch record.end(self) {
            case .morePaths: continue
            case .dirty:
                isJoined = true
                rounds += 1
                if rounds <= Self.mostRounds { evaluatePathsAgain() }
            case .over:
                conclude(isJoined ? nil : isOfElements)
                return isJoined
            }
        }
    }

    /// Evaluates the paths from the one at an index on.
    final func evaluatePaths(from index: Int, of object: AnyObject) {
        for index in index..<paths.count { pathChange(at: index).with { begin($0, object) } }
    }

    /// Evaluates the same paths once more.
    final func evaluatePathsAgain() {
        for change in paths where change.new != nil { read(change) }
    }

    /// Decides what observers are notified of.
    final func conclude(_ isOfElements: ((PathCore, BoxedValue) -> Bool)? = nil) {
        for index in paths.indices { pathChange(at: index).with { conclude($0, isOfElements) } }
    }

    /// Other records of the same property; only one that is found by its key path is ever adopted.
    private final var otherRecords: [PropertyRecord] { record.isManual ? record.withLock { adopters } : [] }

    /// Finds out what a path's observers are notified of, or the new value to be delivered.
    private final func begin(_ change: PathChange, _ object: AnyObject) {
        change.root = change.root(or: object)
        switch change.root == nil || change.isQuiet && !change.isDeferred ? .over : conclusion(of: change) {
        case .over:
            change.forgetReport()
            change.path.endChange()
        case .deferred:
            change.forgetReport()
        case .alone(let leaf):
            change.values = .made(leaf)
        case .evaluation(let version):
            change.version = version
            guard let core = change.core, let root = change.root else { return }
            change.new = evaluate(change.path, core, from: root)
        }
    }

    /// How the change goes on for a path.
    private final func conclusion(of change: PathChange) -> ObservedPath.Conclusion {
        let (path, others) = (change.path, otherRecords)
        let conclusion = path.conclusion(of: change, at: record, others)
        // An evaluation on another thread may be leading it back: having read the value before this change, it would
        // notify of that.
        guard case .over = conclusion, ([record] + others).contains(where: { $0.isAttached(path) }) else {
            return conclusion
        }
        return path.conclusion(of: change, at: record, others, isAttached: true)
    }

    /// Reads the new value again.
    private final func read(_ change: PathChange) {
        guard let core = change.core, let root = change.root else { return }
        change.version = change.path.knownVersion
        change.new = evaluate(change.path, core, from: root)
    }

    /// Decides what a path's observers are notified of.
    private final func conclude(_ change: PathChange, _ isOfElements: ((PathCore, BoxedValue) -> Bool)?) {
        var rounds = 0
        while let new = change.new {
            guard
                case .deliver(let old) = change.path.conclude(
                    new, readAt: change.version, enough: rounds >= Self.mostRounds)
            else {
                rounds += 1
                read(change)
                continue
            }
            change.new = nil
            // What was delivered since the change may contain the elements.
            change.values = values(of: change, old: old, new: new, change.isFirst ? isOfElements : nil)
        }
    }

    private final func values(
        of change: PathChange, old: BoxedValue?, new: BoxedValue, _ isOfElements: ((PathCore, BoxedValue) -> Bool)?
    ) -> PathReport.Values {
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
    ///   - recipients: Who was to be notified when the change began.
    ///   - object: The object that changed.
    ///   - elements: How some elements changed; nil if the whole value was set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - values: The old and new values or elements.
    final func deliver(
        to recipients: Recipients, of object: AnyObject, _ elements: ElementsChange?, isPrior: Bool = false,
        _ values: ChangeValues
    ) {
        // Paths may have been led to the property since.
        let recipients = recipients.paths.count == paths.count ? recipients : currentRecipients
        if isReporting {
            return deliverTraced(to: recipients, of: object, elements, isPrior: isPrior, values)
        }
        Delivery.run(
            Delivery(
                to: Unretained(recipients), of: Unretained(object), Unretained(self),
                elements: elements.map(Unretained.init), isPrior: isPrior, newestNumber: newestNumber, values))
        withExtendedLifetime((recipients, object, elements)) {}
    }

    /// Those on the property, and those at the paths that the change concerns; who came too late is left out later.
    final var currentRecipients: Recipients { Recipients(direct: record.direct, paths: currentMembers) }

    /// Those at the paths that the change concerns.
    final var currentMembers: ContiguousArray<PathRecipients> {
        ContiguousArray(paths.map { PathRecipients($0.path, $0.core, leaf: $0.leaf, $0.path.registrations) })
    }
}
