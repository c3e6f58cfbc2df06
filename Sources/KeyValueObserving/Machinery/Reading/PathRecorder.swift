// Hooking a path to what its evaluation reads.

/// Hooks a path to each property its evaluation reads, before that is read: a change on another thread is either seen
/// by the evaluation or told to the path.
///
/// Most evaluations read what the one before them read, and then nothing is to be done. Of the rest, most read the same
/// properties of other objects of the same classes, and then only hooks are to be moved. From the first read that
/// differs in more than that, everything is found out anew.
///
/// A path keeps its recorder for the next evaluation.
final class PathRecorder: ReadingRecorder {
    // The path keeps its recorder, and whoever evaluates it holds the path.
    private unowned(unsafe) let path: ObservedPath
    // Only the evaluating thread uses the recorder, and no access lasts while other code runs.
    @exclusivity(unchecked) private var start = EvaluationStart.none
    @exclusivity(unchecked) private var likeness = Likeness.same
    /// What was read, from the start, once it is not the same any more.
    @exclusivity(unchecked) private var reads: ContiguousArray<PathRead> = []
    /// Whether a read was taken for hooked because the evaluation before read it.
    @exclusivity(unchecked) private var reliesOnStart = false
    @exclusivity(unchecked) private var seen: Set<PathHook.Place> = []
    /// What of the path is still to be read, if each part of it is a property that is read by itself.
    @exclusivity(unchecked) private var way: KeyPathWay?
    /// Where a key path that was put together goes on with another part.
    @exclusivity(unchecked) private var continuations: [(reads: Int, part: AnyKeyPath)] = []
    @exclusivity(unchecked) private var followed: Set<Followed> = []
    /// Whether what is read is a declared dependency, and not on the way.
    @exclusivity(unchecked) private var isFollowing = false

    /// How the reads are like those of the evaluation before.
    private enum Likeness {
        /// They are the same.
        case same
        /// They are of the same properties of objects of the same classes.
        case alike
        /// They are others.
        case other
    }

    private struct Followed: Hashable {
        let object: ObjectIdentifier
        let keyPath: AnyKeyPath
    }

    init(for path: ObservedPath) {
        unsafe self.path = path
    }

    /// Begins an evaluation.
    func begin(_ start: EvaluationStart) {
        unsafe self.start = start
        unsafe likeness = start.canAgree ? .same : .other
        if start.canAgree { expect(start.reads) }
    }

    /// Begins an evaluation for which the same is known as for the one before, which read just that.
    func beginAgain(_ evaluation: Int) {
        unsafe start.evaluation = evaluation
        expectAgain()
    }

    /// Whether the evaluation before read just what was known, which is as it was after so many changes.
    func isAt(_ changes: Int) -> Bool { unsafe start.canAgree && start.changes == changes }

    override func note<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, _ type: Any.Type,
        _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) {
        let place = PathHook.Place(table: object.keyValueRegistrar.table(), property: property)
        leaveSame()
        if unsafe likeness == .alike {
            if noteAlike(place, Swift.type(of: object)) { return }
            leaveAlike()
        }
        let isNew = unsafe seen.insert(place).inserted
        // What follows may read, too.
        let reader = unsafe self.reader
        let (wrapped, storage) = keyPaths()
        let facts = place.table.facts(of: property, on: object, keyPaths)
        let part = wrapped.flatMap { KeyPathComponents($0)?.components.first }
        let isCertain = storage == nil || Swift.type(of: object) == Object.self
        let (isEnd, isAtEnd) = take(part)
        unsafe reads.append(
            PathRead(
                place: place,
                shape: ReadShape(
                    objectType: Swift.type(of: object), reader: reader, facts: facts, keyPath: wrapped, part: part,
                    isCertain: isCertain, isOnWay: !isFollowing, isEnd: isEnd,
                    ending: isAtEnd && isCertain ? path.ending(at: type) : nil)))
        guard isNew else { return }
        hook(place, facts, wrapped)
        follow(facts.declaredDependencies, of: object)
    }

    override func noteAlike<Object: KeyValueObservable>(_ object: Object, readBy reader: UInt) -> Bool {
        leaveSame()
        let index = unsafe reads.count
        guard unsafe likeness == .alike, unsafe index < start.reads.count,
            unsafe start.reads[index].shape.reader == reader
        else { return false }
        let property = unsafe start.reads[index].place.property
        return noteAlike(
            PathHook.Place(table: object.keyValueRegistrar.table(), property: property), Swift.type(of: object))
    }

    override func noteContinuation(_ part: AnyKeyPath) {
        unsafe continuations.append((likeness == .same ? agreed : reads.count, part))
        if unsafe likeness == .other { unsafe way = KeyPathWay(part) }
    }

    /// Notes what was read while it was the same.
    private func leaveSame() {
        guard unsafe likeness == .same else { return }
        unsafe likeness = .alike
        unsafe reads.reserveCapacity(start.reads.count)
        for index in 0..<agreed { unsafe reads.append(start.reads[index]) }
        unsafe reliesOnStart = agreed > 0
        expect([])
    }

    /// Notes a read if it is of the same property of an object of the same class as the one before.
    private func noteAlike(_ place: PathHook.Place, _ objectType: Any.Type) -> Bool {
        let index = unsafe reads.count
        guard unsafe index < start.reads.count else { return false }
        let before = unsafe start.reads[index]
        guard before.place.property == place.property, before.shape.objectType == objectType else { return false }
        unsafe reads.append(PathRead(place: place, shape: before.shape))
        if before.place == place {
            unsafe reliesOnStart = true
        } else {
            hook(place, before.shape.facts, before.shape.keyPath)
        }
        return true
    }

    /// Goes along the path over what was read while it was alike.
    private func leaveAlike() {
        unsafe likeness = .other
        var continuations = unsafe self.continuations[...]
        for (index, read) in unsafe reads.enumerated() {
            while let next = continuations.first, next.reads <= index {
                unsafe way = KeyPathWay(next.part)
                continuations.removeFirst()
            }
            _ = take(read.shape.part)
            unsafe seen.insert(read.place)
        }
        if let part = continuations.last?.part { unsafe way = KeyPathWay(part) }
    }

    /// Goes on over a property.
    ///
    /// - Returns: Whether it is the one that the path's last part names, and whether the path was followed up to there.
    private func take(_ part: KeyPathComponents.Component?) -> (isEnd: Bool, isAtEnd: Bool) {
        guard unsafe !isFollowing else { return (false, false) }
        var way = unsafe self.way ?? KeyPathWay(path.keyPath)
        way.read(part)
        unsafe self.way = way
        return (part != nil && part == way.end, way.isAtEnd)
    }

    /// Hooks the path to a property, which its table knows or is told.
    private func hook(_ place: PathHook.Place, _ facts: PropertyFacts, _ keyPath: AnyKeyPath?) {
        unsafe path.noteRead(place, in: start.evaluation)?.install(facts, keyPath: keyPath)
    }

    /// Reads the declared dependencies of a property, and theirs.
    ///
    /// A property is noted before its dependencies are followed, and a key path is followed once for each object, so
    /// cycles end.
    func follow(_ dependencies: [AnyKeyPath], of object: some KeyValueObservable) {
        guard !dependencies.isEmpty else { return }
        let wasFollowing = unsafe isFollowing
        unsafe isFollowing = true
        defer { unsafe isFollowing = wasFollowing }
        leaveSame()
        if unsafe likeness == .alike { leaveAlike() }
        for keyPath in dependencies {
            let subject = Followed(object: ObjectIdentifier(object), keyPath: keyPath)
            guard unsafe followed.insert(subject).inserted else { continue }
            guard (object as Any)[keyPath: keyPath] != nil else {
                fatalError(
                    """
                    keyPathsAffectingValue(for:) of \(type(of: object)) returned \(keyPath), which does not start at \
                    that class. Return key paths rooted at it.
                    """)
            }
            follow(ClassFacts.of(object).facts(of: keyPath).declaredDependencies, of: object)
        }
    }

    /// Unhooks the path from what it read before and did not read now.
    ///
    /// - Returns: Whether the evaluation counts; if not, another one ended meanwhile, and it is to be made again.
    func finish() -> Bool {
        if unsafe likeness == .same, unsafe agreed == start.reads.count {
            if unsafe !continuations.isEmpty { unsafe continuations = [] }
            return unsafe path.confirm(start.evaluation, start.changes, self)
        }
        leaveSame()
        let (start, reliesOnStart) = unsafe (self.start, self.reliesOnStart)
        let read = unsafe PathReads(reads, canAgree: followed.isEmpty)
        forget()
        return unsafe path.endEvaluation(start, read, reliesOnStart: reliesOnStart, self)
    }

    /// Forgets the evaluation, so that the path can keep the recorder.
    private func forget() {
        unsafe start = .none
        expect([])
        unsafe reads = []
        unsafe reliesOnStart = false
        unsafe seen = []
        unsafe way = nil
        unsafe continuations = []
        unsafe followed = []
    }
}
