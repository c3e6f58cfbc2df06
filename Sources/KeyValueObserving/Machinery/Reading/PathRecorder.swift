// Hooking a path to what its evaluation reads.

/// Hooks a path to each property its evaluation reads, before that is read: a change on another thread is either seen
/// by the evaluation or told to the path.
final class PathRecorder: ReadingRecorder {
    private let path: ObservedPath
    private let evaluation: Int
    private var seen: Set<PathHook.Place> = []
    /// What was read last, and what is known of it from the evaluation before.
    private var last: LastRead?
    private let lastBefore: LastRead?
    /// The part of the path that is being read, which is all of it unless it was put together.
    private var part: AnyKeyPath

    init(for path: ObservedPath) {
        self.path = path
        part = path.keyPath
        evaluation = path.beginEvaluation()
        lastBefore = path.lastRead
    }

    override func note<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) {
        let table = object.keyValueRegistrar.table()
        let place = PathHook.Place(table: table, property: property)
        // Dependencies that are followed here are not read by the path's own getters.
        defer { last = read(place, of: object, keyPaths) }
        guard seen.insert(place).inserted else { return }
        let facts = table.facts(of: property, on: object, keyPaths)
        if let hook = path.noteRead(place, in: evaluation) {
            hook.install(facts, keyPath: keyPaths().wrapped)
        }
        follow(facts.declaredDependencies, of: object)
    }

    override func noteContinuation(_ part: AnyKeyPath) { self.part = part }

    private func read<Object: KeyValueObservable>(
        _ place: PathHook.Place, of object: Object, _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) -> LastRead {
        if let lastBefore, lastBefore.place == place { return lastBefore }
        let (wrapped, storage) = keyPaths()
        return LastRead(
            place: place, isEnd: wrapped.map { KeyPathComponents.ends(part, with: $0) } ?? false,
            isCertain: storage == nil || type(of: object) == Object.self)
    }

    /// Reads the declared dependencies of a property, and theirs.
    ///
    /// A property is noted before its dependencies are followed, and a key path is followed once for each object, so
    /// cycles end.
    func follow(_ dependencies: [AnyKeyPath], of object: some KeyValueObservable) {
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

    private struct Followed: Hashable {
        let object: ObjectIdentifier
        let keyPath: AnyKeyPath
    }

    private var followed: Set<Followed> = []

    /// Unhooks the path from what it read before and did not read now.
    func finish() {
        path.endEvaluation(evaluation, last: last)
    }
}
