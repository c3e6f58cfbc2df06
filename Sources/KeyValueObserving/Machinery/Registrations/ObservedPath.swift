// A key path that has to be read again after each change: through other objects, or computed.

/// A key path of one object that depends on more than one observed property of that object, with everybody who
/// observes it.
///
/// What it depends on is found by evaluating it (see ``PathRecorder``): it is hooked to each property that is read, on the
/// table of the property's object, before that is read. The path is owned by the table of its root and ends with its last
/// registration or with its root. Its own lock guards its state; no other lock is taken and no foreign code runs under it.
class ObservedPath: RegistrationKeeper, @unchecked Sendable {
    let keyPath: AnyKeyPath
    private let state = Guarded(ObservedPathState())

    init(keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    deinit {
        assert(state.withLock(\.isUnhooked), "A path goes that has hooks.")
    }

    /// The root and the old value if somebody needs it, before a change; nil if the root is gone.
    ///
    /// - Parameter told: What the observers were told last, if a change under way knows; otherwise the path is read.
    /// - Returns: What the change means to the path, so far.
    func will(told: AnyValue?) -> PathChange? { preconditionFailure("a subclass that knows the types evaluates") }

    /// The root and the old elements if somebody needs them, before a change of some elements of the property that the
    /// path ends at; nil if it does not end there, or the root is gone.
    ///
    /// - Parameters:
    ///   - elements: How the elements change.
    ///   - old: Points to the old elements, as an optional.
    ///   - change: The change.
    /// - Returns: What the change means to the path, so far.
    func will(_ elements: ElementsChange, old: UnsafeRawPointer, in change: OpenChange) -> PathChange? {
        preconditionFailure("a subclass that knows the types evaluates")
    }

    /// The new elements after such a change; nil if the path does not end at the property any more.
    func did(
        _ elements: ElementsChange, new: UnsafeRawPointer, in change: OpenChange, from root: AnyObject
    ) -> AnyValue? { preconditionFailure("a subclass that knows the types evaluates") }

    /// Makes the path's value of that of a property of some type at its end; nil if no value of that type can be one.
    func ending(at type: Any.Type) -> PathEnding? { preconditionFailure("a subclass knows the type") }

    /// The object that the path starts at, as long as it lives.
    var start: AnyObject? { preconditionFailure("a subclass knows it") }

    /// Whether the path starts at an object that the caller holds, and that object lives.
    func starts(at object: Unmanaged<AnyObject>) -> Bool { preconditionFailure("a subclass knows it") }

    /// A value of the property that the path ends at, as one of the path.
    func value(of elements: ElementsChange, _ value: UnsafeRawPointer) -> AnyValue {
        preconditionFailure("a subclass knows the type")
    }

    /// What the property that the path ended at was before a change of its elements, as one of the path.
    ///
    /// - Parameters:
    ///   - elements: How the elements changed.
    ///   - old: The elements that left, as a value of the path.
    ///   - new: Points to the elements that came, as an optional.
    /// - Returns: The whole value.
    func value(before elements: ElementsChange, old: AnyValue, new: UnsafeRawPointer) -> AnyValue {
        preconditionFailure("a subclass knows the type")
    }

    /// Evaluates the path from `root`, just for its value.
    func value(from root: AnyObject) -> AnyValue { preconditionFailure("a subclass that knows the types evaluates") }

    /// Evaluates the path and hooks it to what it depends on now.
    func rewire() { preconditionFailure("a subclass that knows the types evaluates") }

    /// Evaluates the path from `root`, hooks it to what it depends on now, and gives its value.
    func rewire(from root: AnyObject) -> AnyValue { preconditionFailure("a subclass that knows the types evaluates") }

    // MARK: Registrations

    final var registrations: RegistrationList { state.withLock { $0.registrations } }

    /// Whether somebody needs its old value.
    final var needsOld: Bool { state.withLock { $0.registrations.needs.contains(.old) } }

    /// Whether the path has been evaluated and hooked.
    final var isWired: Bool { state.withLock { $0.isWired } }

    /// Records a registration; false if the path has ended.
    final func add(_ registration: Registration, _ terms: borrowing RegistrationTerms, at keyPath: AnyKeyPath) -> Bool {
        guard let hooks = state.withLock({ $0.add(registration, terms, at: keyPath) }) else { return false }
        registrationsChanged(at: hooks)
        return true
    }

    override final func remove(_ id: RegistrationID, from table: ObservationTable) {
        // The action holds the registration, which is released without a lock.
        let action = state.withLock { $0.remove(id) }
        switch action {
        case .none: break
        case .changed(_, let hooks): registrationsChanged(at: hooks)
        case .ended(let remains):
            unhook(from: remains.hooks)
            table.remove(self)
        }
        withExtendedLifetime(action) {}
    }

    /// Ends all registrations and takes the path off every object: its root died.
    final func end() {
        let remains = state.withLock { $0.end() }
        for registration in remains.registrations { registration.deactivate() }
        unhook(from: remains.hooks)
        // What it leaves goes when no property leads to it any more.
        withExtendedLifetime(remains) {}
    }

    /// Tells tables that the path has other registrations now.
    private func registrationsChanged(at hooks: [PropertyPlace]) {
        for place in hooks { place.table.forgetAudience(of: place.property) }
    }

    private func unhook(from hooks: [PropertyPlace]) {
        for place in hooks { place.table.unhook(self, from: place.property) }
    }

    /// What a change of a property is told of the path.
    final func standing(at place: PropertyPlace) -> ObservedPathState.Standing {
        state.withLock { $0.standing(at: place) }
    }

    // MARK: Wiring

    /// Begins an evaluation; the result is told what it reads.
    final func beginEvaluation() -> PathRecorder {
        let (evaluation, recorder, start) = state.withLock { $0.beginEvaluation(of: self) }
        recorder.begin(evaluation, start)
        return recorder
    }

    /// Notes that an evaluation reads a property; false if the path is not known to be hooked to it.
    final func noteRead(_ key: PropertyPlace.Key, in evaluation: Int) -> Bool {
        state.withLock { $0.noteRead(key, in: evaluation) }
    }

    /// Ends an evaluation that read what the one before it read.
    ///
    /// - Parameters:
    ///   - evaluation: The evaluation.
    ///   - changes: How often hooks may have changed before it.
    /// - Returns: False if another one ended meanwhile, so that hooks may be gone.
    final func confirm(_ evaluation: Int, _ changes: Int) -> Bool {
        state.withLock { $0.confirm(evaluation, changes) }
    }

    /// Ends an evaluation that read the same properties as the one before, some of them of other objects.
    ///
    /// - Returns: False if hooks that it relied on may be gone.
    final func endMoved(_ recorder: PathRecorder) -> Bool {
        let (counts, otherEnd) = state.withLock { $0.endMoved(recorder) }
        recorder.unhook()
        if let otherEnd { recorder.forgetEnds(otherEnd) }
        return counts
    }

    /// Ends an evaluation, and unhooks what it did not read any more.
    ///
    /// - Parameters:
    ///   - recorder: Its recorder.
    ///   - read: What it read.
    /// - Returns: False if hooks that it relied on may be gone.
    final func endEvaluation(_ recorder: PathRecorder, _ read: PathReads) -> Bool {
        let end = read.last?.place
        // What was read before, then, which may be the last to hold a table and is released without the lock.
        var before = read
        let (counts, otherEnd) = state.withLock { $0.endEvaluation(recorder, &before) }
        recorder.unhook()
        // Who is told of the property by way of this path is told in another way now.
        if otherEnd != nil {
            if let place = before.last?.place { place.table.forgetAudience(of: place.property) }
            if let place = end { place.table.forgetAudience(of: place.property) }
        }
        return counts
    }

    /// What the last evaluation read last.
    final var lastRead: LastRead? { state.withLock { $0.newest.last } }
}

/// An observed path whose types are known.
final class TypedPath<Root: KeyValueObservable, Value>: ObservedPath, @unchecked Sendable {
    private let rootReference: RootReference<Root>
    /// Reads the key path of the root, and makes a value of type `Value`.
    private let evaluate: (Root) -> AnyValue
    /// What the root's class says about the key path, if it is a computed property.
    private let declaredDependencies: [AnyKeyPath]

    init(
        root: Root, keyPath: KeyPath<Root, Value>, facts: PropertyFacts,
        evaluating evaluate: (Root) -> AnyValue, reading read: @escaping (Root, KeyPath<Root, Value>) -> AnyValue
    ) {
        rootReference = RootReference(root)
        if let function = PlainFunction(evaluate) {
            self.evaluate = function.read
        } else {
            self.evaluate = { read($0, keyPath) }
        }
        declaredDependencies = facts.declaredDependencies
        super.init(keyPath: keyPath)
    }

    private var root: Root? { rootReference.object }

    override func will(told: AnyValue?) -> PathChange? {
        guard let root else { return nil }
        guard needsOld else { return PathChange(path: self, root: root, old: nil) }
        let old = told ?? ReadingRecorder.suspended { evaluate(root) }
        return PathChange(path: self, root: root, old: old)
    }

    override func will(_ elements: ElementsChange, old: UnsafeRawPointer, in change: OpenChange) -> PathChange? {
        guard let root, let end = end(of: change) else { return nil }
        if !end.isCertain {
            guard isStored(elements, ReadingRecorder.suspended { evaluate(root) }) else { return nil }
        }
        return PathChange(
            path: self, root: root, old: unsafe needsOld ? elements.value(old, as: Value.self) : nil,
            elements: elements)
    }

    override func did(
        _ elements: ElementsChange, new: UnsafeRawPointer, in change: OpenChange, from root: AnyObject
    ) -> AnyValue? {
        guard let end = end(of: change) else { return nil }
        if end.mayLeadElsewhere {
            let value = rewire(from: root)
            guard end.isCertain || isStored(elements, value) else { return nil }
        }
        return unsafe elements.value(new, as: Value.self)
    }

    /// Whether a value of this path is just what the property stores whose elements change.
    private func isStored(_ elements: ElementsChange, _ value: AnyValue) -> Bool {
        // It was made by `evaluate`.
        let value = unsafe value.pointer.assumingMemoryBound(to: Value?.self).pointee
        return value.map(elements.isStored) ?? false
    }

    /// In what way the property of a change is the end of this path; nil if it is not.
    private func end(of change: OpenChange) -> (isCertain: Bool, mayLeadElsewhere: Bool)? {
        // What is announced for the key path itself is what its getter says.
        if change.announcement?.path === self { return (true, true) }
        guard let lastRead, lastRead.isEnd,
            let table = change.table, lastRead.place == PropertyPlace(table: table, property: change.property)
        else { return nil }
        return (lastRead.isCertain, !lastRead.isCertain)
    }

    override func ending(at type: Any.Type) -> PathEnding? {
        func open<Property>(_: Property.Type) -> PathEnding? {
            if Value.self == Property.self { return PathEnding() }
            return Value.self == Property?.self ? PathEnding.wrapping(Property.self) : nil
        }
        return _openExistential(type, do: open)
    }

    override var start: AnyObject? { root }

    override func starts(at object: Unmanaged<AnyObject>) -> Bool { unsafe rootReference.isLiving(object) }

    override func value(of elements: ElementsChange, _ value: UnsafeRawPointer) -> AnyValue {
        unsafe elements.value(value, as: Value.self)
    }

    override func value(before elements: ElementsChange, old: AnyValue, new: UnsafeRawPointer) -> AnyValue {
        // It was made for this path.
        let old = unsafe old.pointer.assumingMemoryBound(to: Value?.self).pointee
        return unsafe elements.whole(beforeLosing: old, andGaining: new)
    }

    override func value(from root: AnyObject) -> AnyValue {
        // `root` is this path's own, held by a change under way.
        let root = unsafe unsafeDowncast(root, to: Root.self)
        return ReadingRecorder.suspended { evaluate(root) }
    }

    override func rewire() {
        guard let root else { return }
        _ = rewire(from: root)
    }

    override func rewire(from root: AnyObject) -> AnyValue {
        // `root` is this path's own, held by a change under way.
        let root = unsafe unsafeDowncast(root, to: Root.self)
        while true {
            let recorder = beginEvaluation()
            let value = recorder.recording {
                recorder.follow(declaredDependencies, of: root)
                return evaluate(root)
            }
            if recorder.finish() { return value }
        }
    }
}
