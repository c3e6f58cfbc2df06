// Which registrations a path has and where it is hooked, as a value with transitions.

/// The state of a path.
///
/// Its owner takes the lock; what a transition returns is done after the lock is left.
struct ObservedPathState {
    /// In the order in which they were made.
    private(set) var registrations = RegistrationList()
    private var hooks: [PathHook.Place: (hook: PathHook, lastRead: Int)] = [:]
    private var lastBegun = 0
    private var lastEnded = 0
    /// How often hooks may have changed.
    private var changes = 0
    private var hasEnded = false
    /// What the newest evaluation read.
    private(set) var newest = PathReads()

    var isWired: Bool { lastEnded > 0 }

    /// Records a registration.
    ///
    /// - Returns: The hooks whose tables must be told; nil if the path has ended.
    mutating func add(_ registration: Registration, _ terms: borrowing RegistrationTerms, at keyPath: AnyKeyPath)
        -> [PathHook]?
    {
        guard !hasEnded else { return nil }
        if let last = registrations.last?.origin, last.serves(terms, at: keyPath) {
            registration.begin(from: last)
        } else {
            registration.begin(from: terms.origin(at: keyPath))
        }
        registrations.insert(registration)
        return hooks.values.map(\.hook)
    }

    enum RemoveAction {
        /// Nothing: no such registration.
        case none
        /// Tell the hooks' tables; release the registration.
        case changed(Registration, [PathHook])
        /// Remove the hooks; release the registration.
        case ended(Registration, [PathHook])
    }

    mutating func remove(_ id: RegistrationID) -> RemoveAction {
        guard let registration = registrations.remove(id) else { return .none }
        registration.deactivate()
        guard registrations.isEmpty else { return .changed(registration, hooks.values.map(\.hook)) }
        return .ended(registration, end().hooks)
    }

    mutating func end() -> (registrations: RegistrationList, hooks: [PathHook]) {
        hasEnded = true
        let result = (registrations, hooks.values.map(\.hook))
        registrations = RegistrationList()
        hooks = [:]
        // It holds tables, which hold the path.
        newest = PathReads()
        return result
    }

    mutating func beginEvaluation() -> EvaluationStart {
        lastBegun += 1
        return EvaluationStart(
            evaluation: lastBegun, reads: newest.reads, changes: changes,
            canAgree: isWired && newest.canAgree)
    }

    /// Ends an evaluation that read what `newest` said when it began.
    ///
    /// - Returns: False if another evaluation ended meanwhile, so that hooks may be gone.
    mutating func confirm(_ start: EvaluationStart) -> Bool {
        guard !hasEnded else { return true }
        guard start.changes == changes else { return false }
        lastEnded = max(lastEnded, start.evaluation)
        return true
    }

    /// Notes that an evaluation reads a property.
    ///
    /// - Returns: The hook to be put on the property's table, if it has none and the path has not ended.
    mutating func noteRead(_ place: PathHook.Place, in evaluation: Int, of path: ObservedPath) -> PathHook? {
        guard !hasEnded else { return nil }
        if let (hook, lastRead) = hooks[place] {
            hooks[place] = (hook, max(lastRead, evaluation))
            return nil
        }
        let hook = PathHook(of: path, at: place)
        hooks[place] = (hook, evaluation)
        return hook
    }

    /// Gives up the hooks that the evaluation did not need.
    ///
    /// Where a newer evaluation ended first, on another thread, that one knows better, and the hooks only this one
    /// needed go.
    /// - Returns: The hooks to be removed, and where the path began or ceased to end.
    mutating func endEvaluation(
        _ evaluation: Int, _ read: PathReads
    ) -> (stale: [PathHook], ends: [PathHook.Place]) {
        let isNewest = evaluation > lastEnded && !hasEnded
        var ends: [PathHook.Place] = []
        changes += 1
        if isNewest {
            lastEnded = evaluation
            if newest.last?.place != read.last?.place || newest.last?.ending !== read.last?.ending {
                ends = [newest.last, read.last].compactMap { $0?.place }
            }
            newest = read
        }
        let stale = hooks.filter { isNewest ? $0.value.lastRead < evaluation : $0.value.lastRead == evaluation }
        for place in stale.keys { hooks[place] = nil }
        return (stale.values.map(\.hook), ends)
    }
}
