// Which registrations a path has and where it is hooked, as a value with transitions.

/// The state of a path.
///
/// Its owner takes the lock; what a transition returns is done after the lock is left.
struct ObservedPathState {
    /// In the order in which they were made.
    private(set) var registrations = RegistrationList()
    private var hooks = PathHooks()
    private var lastBegun = 0
    private var lastEnded = 0
    /// How often hooks may have changed.
    private var changes = 0
    private var hasEnded = false
    /// What the newest evaluation read.
    private(set) var newest = PathReads()
    /// A recorder for the next evaluation.
    private var recorder: PathRecorder?

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
        return hooks.all
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
        guard registrations.isEmpty else { return .changed(registration, hooks.all) }
        return .ended(registration, end().hooks)
    }

    mutating func end() -> (registrations: RegistrationList, hooks: [PathHook]) {
        hasEnded = true
        let result = (registrations, hooks.all)
        registrations = RegistrationList()
        hooks = PathHooks()
        // These hold tables, which hold the path.
        newest = PathReads()
        recorder = nil
        return result
    }

    /// Begins an evaluation.
    ///
    /// - Returns: Its number, a recorder that was kept, and what is known, unless the recorder knows that.
    mutating func beginEvaluation() -> (evaluation: Int, kept: PathRecorder?, start: EvaluationStart?) {
        lastBegun += 1
        let kept = recorder.take()
        if let kept, kept.isAt(changes) { return (lastBegun, kept, nil) }
        let start = EvaluationStart(
            evaluation: lastBegun, reads: newest.reads, changes: changes, canAgree: isWired && newest.canAgree)
        return (lastBegun, kept, start)
    }

    /// Ends an evaluation that read what `newest` said when it began.
    ///
    /// - Returns: False if another evaluation ended meanwhile, so that hooks may be gone.
    mutating func confirm(_ evaluation: Int, _ changes: Int, _ recorder: PathRecorder) -> Bool {
        guard !hasEnded else { return true }
        self.recorder = recorder
        guard changes == self.changes else { return false }
        lastEnded = max(lastEnded, evaluation)
        return true
    }

    /// Notes that an evaluation reads a property.
    ///
    /// - Returns: The hook to be put on the property's table, if it has none and the path has not ended.
    mutating func noteRead(_ place: PathHook.Place, in evaluation: Int, of path: ObservedPath) -> PathHook? {
        guard !hasEnded, !hooks.noteRead(place, in: evaluation) else { return nil }
        let hook = PathHook(of: path, at: place)
        hooks.append(hook, readIn: evaluation)
        return hook
    }

    /// Gives up the hooks that the evaluation did not need.
    ///
    /// Where a newer evaluation ended first, on another thread, that one knows better, and the hooks only this one
    /// needed go. So they do where the evaluation relied on hooks that may be gone.
    /// What was read is exchanged with what was read before, which is to be released without the lock.
    /// - Returns: Whether it counts, the hooks to be removed, and whether the path ends elsewhere or in another way than
    ///   before.
    mutating func endEvaluation(
        _ start: EvaluationStart, _ read: inout PathReads, reliesOnStart: Bool, _ recorder: PathRecorder
    ) -> (counts: Bool, stale: [PathHook], hasOtherEnd: Bool) {
        guard !hasEnded else { return (true, [], false) }
        self.recorder = recorder
        let evaluation = start.evaluation
        let isNewest = evaluation > lastEnded
        let isHooked = !reliesOnStart || start.changes == changes
        changes += 1
        guard isNewest, isHooked, noteAll(read.reads, in: evaluation) else {
            let needed = Set(newest.reads.map(\.place))
            let stale = hooks.removeAll(readIn: evaluation) { needed.contains($0) }
            return (isHooked && !isNewest, stale, false)
        }
        lastEnded = evaluation
        let isSameEnd = newest.last?.place == read.last?.place && newest.last?.ending === read.last?.ending
        swap(&newest, &read)
        return (true, hooks.removeAll(readBefore: evaluation), !isSameEnd)
    }

    /// Notes all that an evaluation read; false if a hook is gone.
    private mutating func noteAll(_ reads: ContiguousArray<PathRead>, in evaluation: Int) -> Bool {
        // The hooks that are new come last.
        for index in reads.indices {
            guard hooks.noteRead(reads[index].place, in: evaluation, before: reads.count - 1 - index) else {
                return false
            }
        }
        return true
    }
}
