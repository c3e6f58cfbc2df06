// Hooking a path to what its evaluation reads.
import Synchronization

/// Hooks a path to each property its evaluation reads, before that is read: a change on another thread is either seen
/// by the evaluation or told to the path.
///
/// Most evaluations read what the one before them read, and then nothing is to be done. Of the rest, most read the same
/// properties of other objects of the same classes, and then only hooks are to be moved. From the first read that
/// differs in more than that, everything is found out anew.
///
/// Hooks are the path's from the end of the evaluation on; until then only the recorder knows of them, and no audience is
/// kept that was gathered through them. A path keeps its recorder for the next evaluation.
@safe final class PathRecorder: ReadingRecorder {
    // The path keeps its recorder, and whoever evaluates it holds the path.
    private let path: Unmanaged<ObservedPath>
    // Only the evaluating thread uses the recorder, and no access lasts while other code runs.
    /// The number of the evaluation.
    @safe @exclusivity(unchecked) private(set) var evaluation = 0
    /// How often hooks may have changed before it.
    @exclusivity(unchecked) var changes = 0
    /// Whether what was read before is enough to compare with.
    @exclusivity(unchecked) private var canAgree = false
    /// Whether the same properties are read as before, so far.
    @exclusivity(unchecked) private var agrees = false
    /// Which of those are of other objects.
    @exclusivity(unchecked) var moved = MovedReads()
    /// To what it hooked the path, but for what is in `moved`.
    @exclusivity(unchecked) private var installed: ContiguousArray<PropertyPlace> = []
    /// From what it is to be unhooked, while the evaluation ends.
    @safe @exclusivity(unchecked) var stale: ContiguousArray<PropertyPlace> = []
    /// Whether it is ready for another evaluation.
    private let isFree = Atomic(false)
    /// What was read, from the start, once it does not agree any more.
    @exclusivity(unchecked) private var reads: ContiguousArray<PathRead> = []
    /// Whether what it read is known only by what the evaluation before it read.
    @safe @exclusivity(unchecked) private(set) var reliesOnStart = false
    @exclusivity(unchecked) private var seen: Set<PropertyPlace> = []
    /// What of the path is still to be read, if each part of it is a property that is read by itself.
    @exclusivity(unchecked) private var way: KeyPathWay?
    /// Where a key path that was put together goes on with another part.
    @exclusivity(unchecked) private var continuations: [(reads: Int, part: AnyKeyPath)] = []
    @exclusivity(unchecked) private var followed: Set<Followed> = []
    /// Whether what is read is a declared dependency, and not on the way.
    @exclusivity(unchecked) private var isFollowing = false

    private struct Followed: Hashable {
        let object: ObjectIdentifier
        let keyPath: AnyKeyPath
    }

    /// A recorder that is taken.
    init(for path: ObservedPath) {
        unsafe self.path = .passUnretained(path)
    }

    /// Takes it for an evaluation; false if it is in use.
    ///
    /// To be called under the lock of the path.
    func take() -> Bool {
        guard isFree.load(ordering: .acquiring) else { return false }
        isFree.store(false, ordering: .relaxed)
        return true
    }

    /// Begins an evaluation.
    ///
    /// - Parameters:
    ///   - evaluation: Its number.
    ///   - start: What is known; nil if that is the same as for the evaluation before, which read just that.
    func begin(_ evaluation: Int, _ start: EvaluationStart?) {
        self.evaluation = evaluation
        reliesOnStart = false
        guard let start else { return expectAgain() }
        unsafe (changes, canAgree, agrees) = (start.changes, start.canAgree, start.canAgree)
        expect(start.canAgree ? start.reads : [])
    }

    /// Whether the evaluation before read just what was known, which is as it was after so many changes.
    func isAt(_ changes: Int) -> Bool { unsafe canAgree && self.changes == changes }

    override func note<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, _ type: Any.Type,
        _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) {
        let place = PropertyPlace(table: object.keyValueRegistrar.table(), property: property)
        if unsafe agrees {
            let index = agreed
            if unsafe index < expected.count, unsafe expected[index].place.property == property,
                unsafe expected[index].shape.objectType == Swift.type(of: object)
            {
                return noteMoved(place.table)
            }
            disagree()
        }
        let isNew = unsafe seen.insert(place).inserted
        // What follows may read, too.
        let reader = unsafe self.reader
        let (wrapped, storage) = keyPaths()
        let facts = place.table.facts(of: property, on: object, keyPaths)
        let part = wrapped.flatMap { KeyPathComponents($0)?.components.first }
        let isCertain = storage == nil || Swift.type(of: object) == Object.self
        let (isEnd, isAtEnd) = take(part)
        let shape = unsafe ReadShape(
            objectType: Swift.type(of: object), reader: reader, facts: facts, keyPath: wrapped, part: part,
            isCertain: isCertain, isOnWay: !isFollowing, isEnd: isEnd,
            ending: isAtEnd && isCertain ? path._withUnsafeGuaranteedRef { $0.ending(at: type) } : nil)
        unsafe reads.append(PathRead(place: place, shape: shape))
        guard isNew else { return }
        unsafe path._withUnsafeGuaranteedRef { path in
            if !path.noteRead(place.key, in: evaluation) {
                place.table.hook(path, to: property) { shape }
                unsafe installed.append(place)
            }
        }
        follow(facts.declaredDependencies, of: object)
    }

    override func noteAlike<Object: KeyValueObservable>(_ object: Object, readBy reader: UInt) -> Bool {
        let index = agreed
        guard unsafe agrees, unsafe index < expected.count, unsafe expected[index].shape.reader == reader,
            unsafe expected[index].shape.objectType == Swift.type(of: object)
        else { return false }
        noteMoved(object.keyValueRegistrar.table())
        return true
    }

    override func noteContinuation(_ part: AnyKeyPath) {
        unsafe continuations.append((agrees ? agreed : reads.count, part))
        if unsafe !agrees { unsafe way = KeyPathWay(part) }
    }

    /// Notes that the property that is expected next is read, of another object of the same class.
    private func noteMoved(_ table: consuming ObservationTable) {
        let index = agreed
        let property = unsafe expected[index].place.property
        // Hardly ever is the path hooked to it already, and twice does no harm.
        unsafe path._withUnsafeGuaranteedRef { table.hook($0, to: property) { unsafe expected[index].shape } }
        unsafe moved.append(index, consume table)
        agree()
    }

    /// Goes along the path over what was read while that agreed with what was expected.
    private func disagree() {
        guard unsafe agrees else { return }
        unsafe agrees = false
        reliesOnStart = unsafe agreed > moved.count
        unsafe reads = ContiguousArray(expected[..<agreed])
        unsafe appendMoved(to: &installed)
        // What was expected is held by the path.
        unsafe moved.exchange(in: &reads)
        unsafe moved.removeAll()
        expect([])
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
        var way = unsafe self.way ?? path._withUnsafeGuaranteedRef { KeyPathWay($0.keyPath) }
        way.read(part)
        unsafe self.way = way
        return (part != nil && part == way.end, way.isAtEnd)
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
        disagree()
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
        let counts = unsafe path._withUnsafeGuaranteedRef { path in
            if unsafe agrees, unsafe agreed == expected.count {
                if unsafe !continuations.isEmpty { unsafe continuations = [] }
                if unsafe moved.isEmpty { return unsafe path.confirm(evaluation, changes) }
                reliesOnStart = true
                defer { forgetMoved() }
                return path.endMoved(self)
            }
            disagree()
            let read = unsafe PathReads(reads, canAgree: followed.isEmpty)
            unsafe reads = []
            defer { forget() }
            return path.endEvaluation(self, read)
        }
        isFree.store(true, ordering: .releasing)
        return counts
    }

    /// Makes all hooks the path's.
    func handOverHooks(to hooks: inout PathHooks) {
        var start = 0
        for place in unsafe installed { handOver(place, to: &hooks, from: &start) }
    }

    /// Makes a hook the path's, unless it has one there: then that is enough.
    func handOver(_ place: consuming PropertyPlace, to hooks: inout PathHooks, from start: inout Int) {
        if hooks.noteRead(place.key, in: evaluation, from: &start) {
            stale.append(place)
        } else {
            hooks.append(place, readIn: evaluation)
            // The ones behind it are most likely behind the one it stands for.
            start += 1
        }
    }

    /// Gives up the hooks: the path has ended.
    func giveUpHooks() { unsafe stale += installed }

    /// Unhooks the path where it is not hooked any more.
    func unhook() {
        unsafe path._withUnsafeGuaranteedRef { path in
            for index in stale.indices {
                let property = stale[index].property
                unsafe Unmanaged.passUnretained(stale[index].table)._withUnsafeGuaranteedRef {
                    $0.unhook(path, from: property)
                }
            }
        }
    }

    /// Whether the path is unhooked from a property.
    func isStale(_ key: PropertyPlace.Key) -> Bool { stale.contains { $0.key == key } }

    /// Lets go of what the reads of other objects replaced; to be called without a lock.
    private func forgetMoved() {
        unsafe moved.removeAll()
        while stale.popLast() != nil {}
    }

    /// Forgets the evaluation.
    private func forget() {
        unsafe canAgree = false
        unsafe installed = []
        stale = []
        unsafe seen = []
        unsafe way = nil
        unsafe continuations = []
        unsafe followed = []
    }
}
