// Hooking a path to what its evaluation reads.

/// Hooks a path to each property its evaluation reads, before that is read: a change on another thread is either seen
/// by the evaluation or told to the path.
///
/// Most evaluations read what the one before them read. So each read is compared with the one that is next in that, and
/// as long as they agree nothing is to be done. From the first that differs, everything is noted anew.
final class PathRecorder: ReadingRecorder {
    private let path: ObservedPath
    private let start: EvaluationStart
    /// How many reads agree with the evaluation before.
    private var agreed = 0
    private var agrees: Bool
    /// What was read, from the start, once it does not agree any more.
    private var reads: ContiguousArray<PathRead> = []
    private var seen: Set<PathHook.Place> = []
    /// What of the path is still to be read, if each part of it is a property that is read by itself.
    private lazy var way = KeyPathWay(path.keyPath)
    /// Where a key path that was put together goes on with another part.
    private var continuations: [(reads: Int, part: AnyKeyPath)] = []
    private var followed: Set<Followed> = []
    /// Whether what is read is a declared dependency, and not on the way.
    private var isFollowing = false
    private var last: LastRead?

    private struct Followed: Hashable {
        let object: ObjectIdentifier
        let keyPath: AnyKeyPath
    }

    init(for path: ObservedPath) {
        self.path = path
        start = path.beginEvaluation()
        agrees = start.canAgree
    }

    override func note<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, _ type: Any.Type,
        _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) {
        let place = PathHook.Place(table: object.keyValueRegistrar.table(), property: property)
        if agrees {
            if agreed < start.reads.count, start.reads[agreed].place == place {
                agreed += 1
                return
            }
            disagree()
        }
        let isNew = seen.insert(place).inserted
        let (wrapped, storage) = keyPaths()
        let read = PathRead(
            place: place, part: wrapped.flatMap { KeyPathComponents($0)?.components.first },
            isCertain: storage == nil || Swift.type(of: object) == Object.self, type: type)
        reads.append(read)
        if !isFollowing { take(read, isNew: isNew) }
        guard isNew else { return }
        let facts = place.table.facts(of: property, on: object, keyPaths)
        if let hook = path.noteRead(place, in: start.evaluation) { hook.install(facts, keyPath: wrapped) }
        follow(facts.declaredDependencies, of: object)
    }

    override func noteContinuation(_ part: AnyKeyPath) {
        continuations.append((agrees ? agreed : reads.count, part))
        if !agrees { way = KeyPathWay(part) }
    }

    /// Notes what was read while it agreed.
    private func disagree() {
        agrees = false
        var continuations = continuations[...]
        for read in start.reads.prefix(agreed) {
            while let next = continuations.first, next.reads <= reads.count {
                way = KeyPathWay(next.part)
                continuations.removeFirst()
            }
            reads.append(read)
            take(read, isNew: seen.insert(read.place).inserted)
            // Another evaluation may have taken the hook away; the table knows the property.
            path.noteRead(read.place, in: start.evaluation)?.install(PropertyFacts(), keyPath: nil)
        }
        if let part = continuations.last?.part { way = KeyPathWay(part) }
    }

    /// Goes on with a read on the way.
    private func take(_ read: PathRead, isNew: Bool) {
        way.read(read.part)
        last = LastRead(
            place: read.place, isEnd: read.part != nil && read.part == way.end, isCertain: read.isCertain,
            ending: way.isAtEnd && read.isCertain && isNew ? path.ending(at: read.type) : nil)
    }

    /// Reads the declared dependencies of a property, and theirs.
    ///
    /// A property is noted before its dependencies are followed, and a key path is followed once for each object, so
    /// cycles end.
    func follow(_ dependencies: [AnyKeyPath], of object: some KeyValueObservable) {
        guard !dependencies.isEmpty else { return }
        let wasFollowing = isFollowing
        isFollowing = true
        defer { isFollowing = wasFollowing }
        if agrees { disagree() }
        for keyPath in dependencies {
            let subject = Followed(object: ObjectIdentifier(object), keyPath: keyPath)
            guard followed.insert(subject).inserted else { continue }
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
        if agrees {
            if agreed == start.reads.count { return path.confirm(start) }
            disagree()
        }
        path.endEvaluation(
            start.evaluation, PathReads(reads: reads, last: last, canAgree: followed.isEmpty))
        return true
    }
}
