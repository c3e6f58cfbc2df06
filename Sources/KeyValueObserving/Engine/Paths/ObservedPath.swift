// What changes and their recipients know of a key path that is read again after changes.
import Synchronization

/// A key path of one object that is not simply one of its stored properties, with everybody who observes it: it leads
/// through other objects, or is computed.
///
/// Its own lock guards its state; no other lock is taken and no code of users runs under it. What it depends on is known
/// to its only subclass, ``EvaluatedPath``. Changes, recipients and deliveries need no more than stands here.
class ObservedPath: RegistrationKeeper, KeyPathNamed, @unchecked Sendable {
    final let nameHash: KeyPathName.Hash
    /// Whether it is found by its key path; an expression is not.
    private let isNamed: Bool
    private let lock = Lock()
    /// Whether changes under way concern the path; written under the lock, and read without it.
    private let hasChanges = Atomic(false)
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) private var state: State

    private struct State {
        /// Nil once the path has ended.
        var core: PathCore?
        var registrations = RegistrationList()
        var engagement = Engagement<BoxedValue>()
    }

    init(_ core: PathCore, isNamed: Bool) {
        self.isNamed = isNamed
        // Those that nobody looks for are spread over the table.
        nameHash = isNamed ? core.name.hash : KeyPathName.Hash(truncatingIfNeeded: ObjectIdentifier(core).hashValue)
        state = State(core: core)
    }

    /// Makes a transition of what a subclass knows, under the path's lock.
    final func withLock<Result>(_ transition: () -> Result) -> Result { lock.withLock(transition) }

    private func withState<Result>(_ transition: (inout State) -> Result) -> Result {
        lock.withLock { transition(&state) }
    }

    /// What the path is; nil once it has ended.
    final var core: PathCore? { withState { $0.core } }

    final var keyPath: AnyKeyPath? { core?.name.keyPath }

    final func isNamed(_ name: KeyPathName) -> Bool { isNamed && core?.name.isSame(as: name) ?? false }

    // MARK: What a subclass knows

    /// Whether the object that the path starts at is gone.
    var hasEnded: Bool { preconditionFailure("a subclass knows it") }

    /// Whether the path has been evaluated.
    var isEvaluated: Bool { preconditionFailure("a subclass knows it") }

    /// Whether the path depends on a property; to be called under the lock.
    func dependsLocked(on property: AnyObject) -> Bool { preconditionFailure("a subclass knows it") }

    /// How the path's values are made of those of the property that it ends at; to be called under the lock.
    func leafLocked(at property: AnyObject) -> PathLeaf? { preconditionFailure("a subclass knows it") }

    /// How the path's values are made of those of a property, if that may be where it ends.
    func possibleLeaf(_ core: PathCore, at property: PropertyDescription?) -> PathLeaf? {
        preconditionFailure("a subclass knows it")
    }

    /// The property of its root that it is just another way to write, as far as that is known; nothing is read.
    var justProperty: (any RegistrationKeeper)? { preconditionFailure("a subclass knows it") }

    /// That property, or the path itself.
    var target: ObjectIdentifier { justProperty.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self) }

    /// Evaluates the path and makes it depend on what was read.
    ///
    /// - Parameters:
    ///   - core: What the path is.
    ///   - root: The object that it starts at.
    /// - Returns: The value.
    func evaluate(_ core: PathCore, from root: AnyObject) -> BoxedValue { preconditionFailure("a subclass knows how") }

    /// Evaluates the path to find what it is to be attached to now, unless it must not be evaluated.
    func evaluateAgain() { preconditionFailure("a subclass knows how") }

    /// Has the properties that it depends on find their recipients anew: registrations have come or gone.
    func forgetRecipients() { preconditionFailure("a subclass knows them") }

    /// Leaves the properties that it depends on, and its table: it has ended.
    func leave() { preconditionFailure("a subclass knows them") }

    // MARK: Registrations

    final var registrations: RegistrationList { withState { $0.registrations } }

    /// Records a registration; false if the path has ended.
    final func add(
        _ registration: Registration, _ request: borrowing RegistrationRequest, at keyPath: AnyKeyPath
    ) -> Bool {
        let isAdded = withState { state in
            guard state.core != nil else { return false }
            registration.record(at: request.callSite(after: state.registrations.last?.site, at: keyPath))
            state.registrations.append(registration)
            return true
        }
        if isAdded { forgetRecipients() }
        return isAdded
    }

    final func remove(_ number: RegistrationNumber) {
        // What is taken out is released without the lock.
        let (removed, leftovers) = withState { state in
            let removed = state.registrations.remove(number)
            let isLast = removed != nil && state.registrations.isEmpty
            return (removed, isLast ? Self.end(&state) : nil)
        }
        guard removed != nil else { return }
        if _slowPath(EngineTrace.isOn) { removed?.traceEnd() }
        if leftovers != nil { leave() } else { forgetRecipients() }
    }

    final func becomeIgnorable(_ number: RegistrationNumber) -> [RegistrationNumber] {
        registrations.becomeIgnorable(number)
    }

    /// Ends all registrations: the root is gone.
    final func end() {
        let leftovers = withState { Self.end(&$0) }
        for registration in leftovers.registrations.all { registration.end() }
        if _slowPath(EngineTrace.isOn) { leftovers.registrations.traceEnd() }
        leave()
    }

    /// - Returns: What the path had, to be released without the lock.
    private static func end(_ state: inout State) -> State {
        let old = state
        // A change that never ends would keep what nobody needs any more; `old` has it.
        state.engagement.forgetOldValues()
        state.core = nil
        state.registrations = RegistrationList()
        return old
    }

    /// Those who are notified of a change of a property by way of this path; nil if there are none.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - isLasting: Becomes false if the path is not known to depend on the property: an evaluation is under way, and
    ///     what comes and goes until its end is not reported to the property.
    ///   - thread: The thread that makes the change, if they are not kept for others.
    /// - Returns: Them.
    final func recipients(
        at property: AnyObject, _ isLasting: inout Bool, on thread: UInt64? = nil
    ) -> PathRecipients? {
        let (state, depends, leaf) = withState { ($0, dependsLocked(on: property), leafLocked(at: property)) }
        if !depends { isLasting = false }
        guard let core = state.core, !state.registrations.isEmpty else { return nil }
        // While the path is blocked, nobody reads its old value.
        let isBlocked = thread.map { state.engagement.isBlocked(on: $0) } ?? false
        return PathRecipients(
            self, core, leaf: leaf, state.registrations, isBlocked: isBlocked,
            version: state.engagement.version)
    }

    // MARK: Changes under way

    /// Whether changes under way concern the path.
    final var isEngaged: Bool { hasChanges.load(ordering: .acquiring) }

    /// Makes a transition that begins or ends a change.
    private func withChanges<Result>(_ transition: (inout State) -> Result) -> Result {
        let (result, leftovers) = withState { state in
            let result = transition(&state)
            hasChanges.store(state.engagement.changes > 0, ordering: .releasing)
            return (result, state.engagement.takeLeftovers())
        }
        // They are released without the lock.
        withExtendedLifetime(leftovers) {}
        return result
    }

    /// Notes that a change concerns the path.
    final func beginChange(needingOld isOldNeeded: Bool, isLeaf: Bool) -> Engagement<BoxedValue>.Start {
        let thread = ThisThread.number
        return withChanges { $0.engagement.begin(on: thread, needingOld: isOldNeeded, isLeaf: isLeaf) }
    }

    /// How a change that concerns the path goes on after the property was set.
    enum Conclusion {
        /// Without notifying: the path was led away from the property meanwhile, and its observers were notified of
        /// that. Unless it is being led back.
        case over
        /// Whoever blocks the path notifies them.
        case deferred
        /// With values that are made of the property's; the change has ended.
        case alone(PathLeaf)
        /// With a new value that is to be read now.
        case evaluation(version: Int)
    }

    /// How a change that concerns the path goes on.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - property: The property that changed.
    ///   - others: Other records of the same property.
    ///   - isAttached: Whether the path is known to be attached to the property.
    /// - Returns: How.
    final func conclusion(
        of change: PathChange, at property: AnyObject, _ others: [AnyObject], isAttached: Bool = false
    ) -> Conclusion {
        let thread = ThisThread.number
        let isFree = !change.isAnnounced && !change.isDeferred && !isAttached
        let hasBlocked = change.hasBlocked
        return withChanges { state in
            if isFree, state.engagement.version != change.foundVersion, !dependsLocked(on: property),
                !others.contains(where: dependsLocked)
            {
                return .over
            }
            if state.engagement.deferIfBlocked(on: thread, exceptByCaller: hasBlocked) { return .deferred }
            if isFree, let leaf = change.leaf, state.engagement.concludeAlone(on: thread) { return .alone(leaf) }
            return .evaluation(version: state.engagement.version)
        }
    }

    /// Notes the value before a change that concerns the path.
    final func noteOldValue(_ value: BoxedValue, for use: Engagement<BoxedValue>.OldValueUse) {
        withState { $0.engagement.note(value, for: use) }
    }

    /// Finds the value before the changes that concern the path, if a registration needs it and nobody knows it.
    ///
    /// - Parameter root: The object that the path starts at.
    final func findOldValue(from root: AnyObject) {
        guard knownValue == nil, registrations.needs.contains(.old), let core else { return }
        noteOldValue(core.value(from: root), for: .thisChange)
    }

    /// The value before the changes that concern the path, or what observers were last notified of.
    final var knownValue: BoxedValue? { withState { $0.engagement.known } }

    /// The number of what observers were last notified of.
    final var knownVersion: Int { known.version }

    /// Both.
    final var known: (value: BoxedValue?, version: Int) {
        withState { ($0.engagement.known, $0.engagement.version) }
    }

    /// Ends a change that concerns the path: see ``Engagement``.
    final func conclude(
        _ new: BoxedValue, readAt version: Int, enough hasReadEnough: Bool
    ) -> Engagement<BoxedValue>.Conclusion {
        let thread = ThisThread.number
        return withChanges {
            $0.engagement.conclude(new: new, readAt: version, on: thread, enough: hasReadEnough)
        }
    }

    /// Whether something that the path depends on is being accessed in place.
    final var isAccessed: Bool { withState { $0.engagement.isAccessed } }

    /// Ends a change without notifying anybody.
    final func endChange() { withChanges { $0.engagement.end() } }

    /// Whether the path must not be evaluated on this thread.
    final var isBlocked: Bool {
        let thread = ThisThread.number
        return withState { $0.engagement.isBlocked(on: thread) }
    }

    /// The same apart from one reason, which is the caller's own.
    final var isBlockedByOthers: Bool {
        let thread = ThisThread.number
        return withState { $0.engagement.isBlocked(on: thread, exceptByCaller: true) }
    }

    /// Keeps the path from being evaluated until `unblock`, everywhere or on one thread.
    final func block(on thread: UInt64? = nil) { withState { $0.engagement.block(on: thread) } }

    /// Takes over what was deferred on a thread, although the path stays blocked.
    final func takeDeferred(on thread: UInt64) -> Bool { withState { $0.engagement.takeDeferred(on: thread) } }

    /// - Returns: Whether observers are to be notified of what was deferred.
    final func unblock(on thread: UInt64? = nil) -> Bool { withState { $0.engagement.unblock(on: thread) } }
}
