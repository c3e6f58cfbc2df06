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
            reads: newest.reads, changes: changes, canAgree: isWired && newest.canAgree)
        return (lastBegun, kept, start)
    }

    /// Keeps a recorder for the next evaluation, if there is room for one.
    mutating func keep(_ recorder: PathRecorder) {
        if !hasEnded, self.recorder == nil { self.recorder = recorder }
    }

    /// Ends an evaluation that read what `newest` said when it began.
    ///
    /// - Returns: False if another evaluation ended meanwhile, so that hooks may be gone.
    mutating func confirm(_ evaluation: Int, _ changes: Int, _ recorder: PathRecorder) -> Bool {
        guard !hasEnded else { return true }
        keep(recorder)
        guard changes == self.changes else { return false }
        lastEnded = max(lastEnded, evaluation)
        return true
    }

    /// Notes that an evaluation reads a property.
    ///
    /// - Parameters:
    ///   - key: The property.
    ///   - evaluation: The evaluation.
    ///   - hook: A hook for it.
    /// - Returns: Whether the hook is to be put on the property's table: it has none, and the path has not ended.
    mutating func noteRead(_ key: PathHook.PlaceKey, in evaluation: Int, _ hook: PathHook) -> Bool {
        var start = 0
        guard !hasEnded, !hooks.noteRead(key, in: evaluation, from: &start) else { return false }
        hooks.append(hook, at: key, readIn: evaluation)
        return true
    }

    /// Gives up the hooks that the evaluation did not need.
    ///
    /// Where a newer evaluation ended first, on another thread, that one knows better, and the hooks only this one
    /// needed go. So they do where the evaluation relied on hooks that may be gone.
    ///
    /// - Parameters:
    ///   - recorder: The evaluation's; it gets the hooks to be removed.
    ///   - read: What was read. It is exchanged with what was read before, which is to be released without the lock.
    /// - Returns: Whether it counts, and the index of the read that the path ends at, if that is another one than
    ///   before or makes its value in another way.
    mutating func endEvaluation(
        _ recorder: PathRecorder, _ read: inout PathReads
    ) -> (counts: Bool, otherEnd: Int?) {
        guard !hasEnded else { return (true, nil) }
        let standing = leave(recorder)
        // The hooks that are new come last.
        var start = 0
        guard standing == .counts,
            read.reads.allSatisfy({ hooks.noteRead($0.place.key, in: recorder.evaluation, from: &start) })
        else { return (giveUp(recorder, standing), nil) }
        settle(recorder)
        let isSameEnd = newest.last?.place == read.last?.place && newest.last?.ending === read.last?.ending
        swap(&newest, &read)
        return (true, isSameEnd ? nil : newest.lastIndex)
    }

    /// The same after an evaluation that read what the one before read, but of other objects.
    mutating func endMoved(_ recorder: PathRecorder) -> (counts: Bool, otherEnd: Int?) {
        guard !hasEnded else { return (true, nil) }
        let standing = leave(recorder)
        var start = 0
        guard standing == .counts,
            recorder.allRead({ hooks.noteRead($0, in: recorder.evaluation, from: &start) })
        else { return (giveUp(recorder, standing), nil) }
        settle(recorder)
        return (true, newest.move(as: recorder, changes) ? newest.lastIndex : nil)
    }

    private enum Standing {
        /// The evaluation counts, if what it read is hooked.
        case counts
        /// A newer one ended first.
        case isLate
        /// Hooks that it relied on may be gone.
        case isLoose
    }

    /// Leaves an evaluation, after which hooks may have changed.
    private mutating func leave(_ recorder: PathRecorder) -> Standing {
        defer { changes += 1 }
        guard !recorder.reliesOnStart || recorder.isAt(changes) else { return .isLoose }
        return recorder.evaluation > lastEnded ? .counts : .isLate
    }

    /// Gives up the hooks that only this evaluation needed.
    ///
    /// - Returns: Whether another evaluation knows better.
    private mutating func giveUp(_ recorder: PathRecorder, _ standing: Standing) -> Bool {
        let needed = Set(newest.reads.map(\.place.key))
        hooks.removeAll(readIn: recorder.evaluation, unless: { needed.contains($0) }, into: &recorder.hooks)
        return standing == .isLate
    }

    /// Gives up the hooks that this evaluation did not need.
    private mutating func settle(_ recorder: PathRecorder) {
        lastEnded = recorder.evaluation
        hooks.removeAll(readBefore: lastEnded, into: &recorder.hooks)
    }
}
