// A key path that has to be read again after changes: through other objects, or computed.
import Synchronization

/// A key path of one object that is not simply one of its stored properties, with everybody who observes it.
///
/// What it depends on is found by evaluating it. The path is owned by the table of its root, and ends with its last
/// registration or with its root. Its own lock guards its state; no other lock is taken and no code of users runs under
/// it.
final class ObservedPath: RegistrationKeeper, KeyPathNamed, @unchecked Sendable {
    /// The table of the object that the path starts at.
    private let table: ObservationTable
    let nameHash: KeyPathName.Hash
    private let state: Guarded<State>
    /// Whether changes under way concern the path; written under the lock, and read without it.
    private let hasChanges = Atomic(false)

    private struct State {
        /// Nil once the path has ended.
        var core: PathCore?
        var registrations = RegistrationList()
        var dependencies = Dependencies<PropertyRecord>()
        /// The property that the path ends at, if its values are made of that property's.
        var end: (record: PropertyRecord, leaf: PathLeaf)?
        var engagement = Engagement<BoxedValue>()
    }

    /// How often an evaluation is repeated if others replace what it relies on; the next one relies on nothing.
    private static let mostEvaluations = 4

    init(_ core: PathCore, in table: ObservationTable) {
        self.table = table
        nameHash = core.name.hash
        state = Guarded(State(core: core))
    }

    /// What the path is; nil once it has ended.
    var core: PathCore? { state.withLock { $0.core } }

    var keyPath: AnyKeyPath? { core?.name.keyPath }

    func isNamed(_ name: KeyPathName) -> Bool { core?.name.isSame(as: name) ?? false }

    /// The property of its root that it is just another way to write, as far as that is known; nothing is read.
    var justProperty: PropertyRecord? {
        guard let (core, property, description) = singleDependency else { return nil }
        return core.isKnownAsJust(property.property, description) ? property : nil
    }

    /// The property of its root that it may be just another way to write, which takes a reading to find out.
    var ambiguousProperty: PropertyRecord? {
        guard let (core, property, description) = singleDependency, core.mayBeJust(description) else { return nil }
        return property
    }

    /// Whether it is just another way to write such a property: whether both have the same value now.
    func isJust(_ property: PropertyRecord) -> Bool {
        guard let core, let keyPath = property.keyPath else { return false }
        return core.hasValue(at: keyPath)
    }

    /// The property that it depends on, if that is the only one.
    private var singleDependency: (PathCore, PropertyRecord, PropertyDescription)? {
        let (core, properties) = state.withLock { ($0.core, $0.dependencies.properties) }
        guard let core, properties.count == 1, let description = properties[0].description else { return nil }
        return (core, properties[0], description)
    }

    /// How its values are made of those of a property, if that may be where it ends.
    func possibleLeaf(_ core: PathCore, at record: PropertyRecord) -> PathLeaf? {
        record.description.flatMap {
            core.possibleLeaf(at: $0, isOnly: state.withLock { $0.dependencies.properties.count == 1 })
        }
    }

    var hasEnded: Bool { table.hasEnded }

    // MARK: Registrations

    var registrations: RegistrationList { state.withLock { $0.registrations } }

    /// Records a registration; false if the path has ended.
    func add(_ registration: Registration, _ request: borrowing RegistrationRequest, at keyPath: AnyKeyPath) -> Bool {
        let properties = state.withLock { state -> ContiguousArray<PropertyRecord>? in
            guard state.core != nil else { return nil }
            registration.record(at: request.callSite(after: state.registrations.last?.site, at: keyPath))
            state.registrations.append(registration)
            return state.dependencies.properties
        }
        guard let properties else { return false }
        for property in properties { property.forgetRecipients() }
        return true
    }

    func remove(_ number: RegistrationNumber) {
        // What is taken out is released without the lock.
        let (removed, leftovers, properties) = state.withLock { state in
            let removed = state.registrations.remove(number)
            let isLast = removed != nil && state.registrations.isEmpty
            return (removed, isLast ? Self.end(&state) : nil, state.dependencies.properties)
        }
        guard removed != nil else { return }
        if let leftovers {
            table.remove(self)
            detach(from: leftovers.stale)
        } else {
            for property in properties { property.forgetRecipients() }
        }
    }

    func becomeIgnorable(_ number: RegistrationNumber) -> [RegistrationNumber] {
        registrations.becomeIgnorable(number)
    }

    /// Ends all registrations: the root is gone.
    func end() {
        let leftovers = state.withLock { Self.end(&$0) }
        for registration in leftovers.state.registrations.all { registration.end() }
        detach(from: leftovers.stale)
    }

    /// - Returns: What the path had, to be released without the lock, and from what it is to be detached.
    private static func end(_ state: inout State) -> (state: State, stale: ContiguousArray<PropertyRecord>) {
        let old = state
        let stale = state.dependencies.end()
        // A change that never ends would keep what nobody needs any more; `old` has it.
        state.engagement.forgetOldValues()
        state.core = nil
        state.registrations = RegistrationList()
        state.end = nil
        return (old, stale)
    }

    private func detach(from properties: ContiguousArray<PropertyRecord>) {
        for property in properties { property.detach(self) }
    }

    /// Those who are notified of a change of a property by way of this path; nil if there are none.
    ///
    /// - Parameters:
    ///   - record: The property.
    ///   - isLasting: Becomes false if the path is not known to depend on the property: an evaluation is under way, and
    ///     what comes and goes until its end is not reported to the property.
    /// - Returns: Them.
    func members(at record: PropertyRecord, _ isLasting: inout Bool) -> Recipients.PathMembers? {
        let state = state.withLock { $0 }
        if !state.dependencies.properties.contains(where: { $0 === record }) { isLasting = false }
        guard let core = state.core, !state.registrations.isEmpty else { return nil }
        let leaf = state.end.flatMap { $0.record === record ? $0.leaf : nil }
        return Recipients.PathMembers(
            self, core, leaf: leaf, state.registrations, version: state.engagement.version)
    }

    // MARK: Evaluating

    /// Whether the path has been evaluated.
    var isEvaluated: Bool { state.withLock { $0.dependencies.isKnown } }

    /// Evaluates the path and makes it depend on what was read.
    ///
    /// - Parameters:
    ///   - core: What the path is.
    ///   - root: The object that it starts at.
    ///   - isRelying: Whether to rely on what it is attached to already.
    /// - Returns: The value.
    @discardableResult
    func evaluate(_ core: PathCore, from root: AnyObject, relying isRelying: Bool = true) -> BoxedValue {
        evaluate(core, from: root, state.withLock { $0.dependencies.begin(isRelying: isRelying) })
    }

    /// The same for an evaluation that has begun.
    func evaluate(
        _ core: PathCore, from root: AnyObject, _ start: Dependencies<PropertyRecord>.Start
    ) -> BoxedValue {
        var start = start
        var attempt = 1
        while true {
            let tracker = DependencyTracker(self, start)
            let value = tracker.tracking {
                tracker.follow(core.declared, of: root)
                return core.value(from: root)
            }
            guard end(tracker, core) == .outdated else { return value }
            attempt += 1
            start = state.withLock { $0.dependencies.begin(isRelying: attempt < Self.mostEvaluations) }
        }
    }

    /// Evaluates the path to find what it is to be attached to now, unless it must not be evaluated.
    func evaluateAgain() {
        guard !isBlocked, let core, let root = core.root else { return }
        evaluate(core, from: root, relying: false)
    }

    private func end(_ tracker: DependencyTracker, _ core: PathCore) -> Dependencies<PropertyRecord>.Outcome {
        guard let read = tracker.differing else {
            return state.withLock { $0.dependencies.end(asExpected: tracker.start) }
        }
        let end = core.leaf(after: read.elements.lazy.map(\.description)).flatMap { leaf in
            read.elements.last.map { (record: $0, leaf: leaf) }
        }
        let (outcome, stale, before) = state.withLock { state in
            let (outcome, stale) = state.dependencies.end(
                tracker.start, read: read, attached: tracker.attached, areDeclared: tracker.hasFollowed)
            let before = state.end
            if outcome == .changed { state.end = end }
            return (outcome, stale, before)
        }
        detach(from: stale)
        // Values are made of another property's from here on.
        if outcome == .changed, before?.record !== end?.record {
            before?.record.forgetRecipients()
            end?.record.forgetRecipients()
        }
        return outcome
    }

    // MARK: Changes under way

    /// Whether changes under way concern the path.
    var isEngaged: Bool { hasChanges.load(ordering: .acquiring) }

    /// Makes a transition that begins or ends a change.
    private func withChanges<Result>(_ transition: (inout State) -> Result) -> Result {
        let (result, leftovers) = state.withLock { state in
            let result = transition(&state)
            hasChanges.store(state.engagement.changes > 0, ordering: .releasing)
            return (result, state.engagement.takeLeftovers())
        }
        // They are released without the lock.
        withExtendedLifetime(leftovers) {}
        return result
    }

    /// Notes that a change concerns the path.
    func beginChange(needingOld isOldNeeded: Bool, isLeaf: Bool) -> Engagement<BoxedValue>.Start {
        let thread = ThisThread.number
        return withChanges { $0.engagement.begin(on: thread, needingOld: isOldNeeded, isLeaf: isLeaf) }
    }

    /// How a change that concerns the path goes on after the property was set.
    enum Conclusion {
        /// Without notifying: the path was led away from the property meanwhile, and its observers were notified of
        /// that.
        case over
        /// Whoever blocks the path notifies them.
        case deferred
        /// With values that are made of the property's; the change has ended.
        case alone(PathLeaf)
        /// With a new value that is to be read now, in an evaluation that has begun.
        case evaluation(version: Int, Dependencies<PropertyRecord>.Start)
    }

    /// How a change that concerns the path goes on.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - record: The property that changed.
    ///   - others: Other records of the same property.
    /// - Returns: How.
    func conclusion(of change: PathChange, at record: PropertyRecord, _ others: [PropertyRecord]) -> Conclusion {
        let thread = ThisThread.number
        let isFree = !change.isAnnounced && !change.isDeferred
        let hasBlocked = change.hasBlocked
        return withChanges { state in
            if isFree, state.engagement.version != change.foundVersion,
                !state.dependencies.properties.contains(where: { property in
                    property === record || others.contains { $0 === property }
                })
            {
                return .over
            }
            if state.engagement.deferIfBlocked(on: thread, exceptByCaller: hasBlocked) { return .deferred }
            if isFree, let leaf = change.leaf, state.engagement.concludeAlone() { return .alone(leaf) }
            return .evaluation(version: state.engagement.version, state.dependencies.begin(isRelying: true))
        }
    }

    /// Notes the value before a change that concerns the path.
    func noteOldValue(_ value: BoxedValue, for use: Engagement<BoxedValue>.OldValueUse) {
        state.withLock { $0.engagement.note(value, for: use) }
    }

    /// The value before the changes that concern the path, or what observers were last notified of.
    var knownValue: BoxedValue? { state.withLock { $0.engagement.known } }

    /// The number of what observers were last notified of.
    var knownVersion: Int { known.version }

    /// Both.
    var known: (value: BoxedValue?, version: Int) {
        state.withLock { ($0.engagement.known, $0.engagement.version) }
    }

    /// Ends a change that concerns the path: see ``Engagement``.
    func conclude(_ new: BoxedValue, readAt version: Int?) -> Engagement<BoxedValue>.Conclusion {
        withChanges { $0.engagement.conclude(new: new, readAt: version) }
    }

    /// Whether something that the path depends on is being accessed in place.
    var isAccessed: Bool { state.withLock { $0.engagement.isAccessed } }

    /// Ends a change without notifying anybody.
    func endChange() { withChanges { $0.engagement.end() } }

    /// Whether the path must not be evaluated on this thread.
    var isBlocked: Bool {
        let thread = ThisThread.number
        return state.withLock { $0.engagement.isBlocked(on: thread) }
    }

    /// The same apart from one reason, which is the caller's own.
    var isBlockedByOthers: Bool {
        let thread = ThisThread.number
        return state.withLock { $0.engagement.isBlocked(on: thread, exceptByCaller: true) }
    }

    /// Keeps the path from being evaluated until `unblock`, everywhere or on one thread.
    func block(on thread: UInt64? = nil) { state.withLock { $0.engagement.block(on: thread) } }

    /// Takes over what was deferred on a thread, although the path stays blocked.
    func takeDeferred(on thread: UInt64) -> Bool { state.withLock { $0.engagement.takeDeferred(on: thread) } }

    /// - Returns: Whether observers are to be notified of what was deferred.
    func unblock(on thread: UInt64? = nil) -> Bool { state.withLock { $0.engagement.unblock(on: thread) } }
}
