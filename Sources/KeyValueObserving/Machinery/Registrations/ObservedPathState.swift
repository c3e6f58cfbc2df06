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
    /// The recorder of most evaluations; another one is made where several evaluate at once.
    private var recorder: PathRecorder?

    var isWired: Bool { lastEnded > 0 }
    var isUnhooked: Bool { hooks.isEmpty }

    /// What a change of a property is told of the path.
    struct Standing {
        let registrations: RegistrationList
        /// Makes the path's value of the property's, if the path ends there and is nothing else.
        let ending: PathEnding?
        /// Whether the path knows that it is hooked to the property.
        ///
        /// An evaluation under way may have hooked it without that, or be about to unhook it.
        let isHooked: Bool
    }

    func standing(at place: PropertyPlace) -> Standing {
        Standing(
            registrations: registrations, ending: newest.last.flatMap { $0.place == place ? $0.ending : nil },
            isHooked: hooks.contains(place.key))
    }

    /// Records a registration.
    ///
    /// - Returns: The properties whose tables must be told; nil if the path has ended.
    mutating func add(_ registration: Registration, _ terms: borrowing RegistrationTerms, at keyPath: AnyKeyPath)
        -> [PropertyPlace]?
    {
        guard !hasEnded else { return nil }
        if let last = registrations.last?.origin, last.serves(terms, at: keyPath) {
            registration.begin(from: last)
        } else {
            registration.begin(from: terms.origin(at: keyPath))
        }
        registrations.insert(registration)
        return hooks.places
    }

    enum RemoveAction {
        /// Nothing: no such registration.
        case none
        /// Tell the properties' tables; release the registration.
        case changed(Registration, [PropertyPlace])
        /// Unhook the path; release everything.
        case ended(Remains)
    }

    mutating func remove(_ id: RegistrationID) -> RemoveAction {
        guard let registration = registrations.remove(id) else { return .none }
        registration.deactivate()
        guard registrations.isEmpty else { return .changed(registration, hooks.places) }
        return .ended(end(with: [registration]))
    }

    /// What a path leaves: to be unhooked, and then to be released without the lock.
    struct Remains {
        let registrations: ContiguousArray<Registration>
        let hooks: [PropertyPlace]
        // These hold tables, which hold the path.
        fileprivate let reads: PathReads
        fileprivate let recorder: PathRecorder?
    }

    mutating func end() -> Remains { end(with: registrations.registrations) }

    private mutating func end(with registrations: ContiguousArray<Registration>) -> Remains {
        hasEnded = true
        let remains = Remains(registrations: registrations, hooks: hooks.places, reads: newest, recorder: recorder)
        self.registrations = RegistrationList()
        hooks = PathHooks()
        newest = PathReads()
        recorder = nil
        return remains
    }

    /// Begins an evaluation.
    ///
    /// - Parameter path: The path.
    /// - Returns: Its number, who listens to it, and what is known, unless the listener knows that.
    mutating func beginEvaluation(
        of path: ObservedPath
    ) -> (evaluation: Int, recorder: PathRecorder, start: EvaluationStart?) {
        lastBegun += 1
        if let recorder, recorder.take() { return (lastBegun, recorder, recorder.isAt(changes) ? nil : start) }
        let new = PathRecorder(for: path)
        if !hasEnded, recorder == nil { recorder = new }
        return (lastBegun, new, start)
    }

    private var start: EvaluationStart {
        EvaluationStart(reads: newest.reads, changes: changes, canAgree: isWired && newest.canAgree)
    }

    /// Ends an evaluation that read what `newest` said when it began.
    ///
    /// - Returns: False if another evaluation ended meanwhile, so that hooks may be gone.
    mutating func confirm(_ evaluation: Int, _ changes: Int) -> Bool {
        guard !hasEnded else { return true }
        guard changes == self.changes else { return false }
        lastEnded = max(lastEnded, evaluation)
        return true
    }

    /// Notes that an evaluation reads a property.
    ///
    /// - Parameters:
    ///   - key: The property.
    ///   - evaluation: The evaluation.
    /// - Returns: Whether the path is known to be hooked to it.
    mutating func noteRead(_ key: PropertyPlace.Key, in evaluation: Int) -> Bool {
        var start = 0
        return hooks.noteRead(key, in: evaluation, from: &start)
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
        guard !hasEnded else {
            recorder.giveUpHooks()
            return (true, nil)
        }
        let result = leave(recorder)
        recorder.handOverHooks(to: &hooks)
        // The hooks that are new come last.
        var start = 0
        guard result == .counts,
            read.reads.allSatisfy({ hooks.noteRead($0.place.key, in: recorder.evaluation, from: &start) })
        else { return (giveUp(recorder, result), nil) }
        settle(recorder)
        let isSameEnd = newest.last?.place == read.last?.place && newest.last?.ending === read.last?.ending
        swap(&newest, &read)
        return (true, isSameEnd ? nil : newest.lastIndex)
    }

    /// The same after an evaluation that read what the one before read, but of other objects.
    mutating func endMoved(_ recorder: PathRecorder) -> (counts: Bool, otherEnd: Int?) {
        guard !hasEnded else {
            recorder.appendMoved(to: &recorder.stale)
            return (true, nil)
        }
        let result = leave(recorder)
        guard recorder.handOverReads(to: &hooks), result == .counts else { return (giveUp(recorder, result), nil) }
        settle(recorder)
        return (true, newest.move(as: recorder, changes) ? newest.lastIndex : nil)
    }

    private enum Result {
        /// The evaluation counts, if what it read is hooked.
        case counts
        /// A newer one ended first.
        case isLate
        /// Hooks that it relied on may be gone.
        case isLoose
    }

    /// Leaves an evaluation, after which hooks may have changed.
    private mutating func leave(_ recorder: PathRecorder) -> Result {
        defer { changes += 1 }
        guard !recorder.reliesOnStart || recorder.isAt(changes) else { return .isLoose }
        return recorder.evaluation > lastEnded ? .counts : .isLate
    }

    /// Gives up the hooks that only this evaluation needed.
    ///
    /// - Returns: Whether another evaluation knows better.
    private mutating func giveUp(_ recorder: PathRecorder, _ result: Result) -> Bool {
        let needed = Set(newest.reads.map(\.place.key))
        hooks.removeAll(readIn: recorder.evaluation, unless: { needed.contains($0) }, into: &recorder.stale)
        return result == .isLate
    }

    /// Gives up the hooks that this evaluation did not need.
    private mutating func settle(_ recorder: PathRecorder) {
        lastEnded = recorder.evaluation
        hooks.removeAll(readBefore: lastEnded, into: &recorder.stale)
    }
}
