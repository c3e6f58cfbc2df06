// Looking up entries by key path, without running code of users under a lock.

/// An entry found by its key path.
protocol KeyPathNamed: AnyObject {
    /// The hash of its name.
    var nameHash: UInt32 { get }
    /// Whether the entry has a name. Call it without a lock.
    func isNamed(_ name: KeyPathName) -> Bool
}

/// A key path with its hash, the same for all classes that may write it.
///
/// `\Base.sum` and `\Derived.sum` are one name, as far as key paths can be read. Hashing and comparing key paths runs
/// code of their arguments. The hash is therefore computed before taking any lock, and candidates with the same hash
/// are compared after leaving it.
struct KeyPathName {
    let keyPath: AnyKeyPath
    /// Half of Swift's hash; even if the components determine the key path, and odd otherwise.
    let hash: UInt32

    private static let hashes = KeyPathCache<UInt32>()

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
        hash = Self.hashes.fact(of: keyPath) {
            guard let hash = KeyPathComponents(keyPath)?.hashOfWhole else {
                return UInt32(truncatingIfNeeded: keyPath.hashValue) | 1
            }
            return UInt32(truncatingIfNeeded: hash) & ~1
        }
    }

    /// Whether the key paths of two names lead the same way from one object.
    func isSame(as other: KeyPathName) -> Bool {
        if keyPath === other.keyPath { return true }
        guard hash == other.hash else { return false }
        if hash & 1 != 0 { return KeyPathComponents.areEqual(keyPath, other.keyPath) }
        let (own, others) = (type(of: keyPath), type(of: other.keyPath))
        if own == others { return keyPath == other.keyPath }
        return own.valueType == others.valueType
            && KeyPathComponents(keyPath)?.components == KeyPathComponents(other.keyPath)?.components
    }
}

extension KeyPathComponents {
    /// Whether two key paths are known to lead the same way, if they start at the same object.
    static func areSame(_ left: AnyKeyPath, _ right: AnyKeyPath) -> Bool {
        KeyPathName(left).isSame(as: KeyPathName(right))
    }
}

/// Entries by the hashes of their key paths.
struct KeyPathTable<Entry: KeyPathNamed> {
    private var buckets: [UInt32: ContiguousArray<Entry>] = [:]

    var all: ContiguousArray<Entry> { ContiguousArray(buckets.values.joined()) }

    /// The entries that may have a name with this hash.
    func candidates(for hash: UInt32) -> ContiguousArray<Entry> { buckets[hash] ?? [] }

    mutating func insert(_ entry: Entry) { buckets[entry.nameHash, default: []].append(entry) }

    /// Adds an entry, if the candidates for its name have not changed since the comparison.
    mutating func insert(_ entry: Entry, ifCandidatesAre candidates: ContiguousArray<Entry>) -> Bool {
        guard self.candidates(for: entry.nameHash).elementsEqual(candidates, by: ===) else { return false }
        insert(entry)
        return true
    }

    mutating func remove(_ entry: Entry) {
        buckets[entry.nameHash]?.removeAll { $0 === entry }
        if buckets[entry.nameHash]?.isEmpty ?? false { buckets[entry.nameHash] = nil }
    }
}

/// Facts about key paths without arguments, kept for good.
///
/// Nothing is kept about key paths with arguments, because there may be any number of them. The number of facts is
/// limited, because a program may compose key paths at run time. Hashing one without arguments runs no code of users.
struct KeyPathCache<Fact>: Sendable {
    private let facts = Guarded<
        (
            byName: [AnyKeyPath: (fact: Fact, objects: Int)],
            byObject: [ObjectIdentifier: (keyPath: AnyKeyPath, fact: Fact)]
        )
    >(([:], [:]))

    /// How many names are kept, which is more than a program contains.
    static var mostNames: Int { 4_096 }

    /// How many key path objects are kept for one name, because a literal is a new object at each place of a program.
    private static var mostObjects: Int { 8 }

    /// The fact about a key path.
    ///
    /// Several threads may call `find` at the same time; its result is kept if `isLasting` returns true.
    func fact(of keyPath: AnyKeyPath, _ find: () -> Fact, isLasting: () -> Bool = { true }) -> Fact {
        // A literal is the same object each time. It is kept, so no other object ever has its address.
        if let known = facts.withLock({ $0.byObject[ObjectIdentifier(keyPath)] }) { return known.fact }
        guard let components = KeyPathComponents(keyPath), !components.hasArguments else { return find() }
        let fact = facts.withLock({ $0.byName[keyPath]?.fact }) ?? find()
        guard isLasting() else { return fact }
        return facts.withLock { facts in
            if facts.byName.count >= Self.mostNames, facts.byName[keyPath] == nil { return fact }
            var known = facts.byName[keyPath] ?? (fact, 0)
            if known.objects < Self.mostObjects, facts.byObject[ObjectIdentifier(keyPath)] == nil {
                known.objects += 1
                facts.byObject[ObjectIdentifier(keyPath)] = (keyPath, known.fact)
            }
            facts.byName[keyPath] = known
            return known.fact
        }
    }
}
