// Finding things by their key paths, without running anybody's `==` under a lock.

/// Something that is found by its key path.
protocol KeyPathNamed: AnyObject {
    /// The hash of its name.
    var nameHash: KeyPathName.Hash { get }
    /// Whether it has a name; to be called without a lock.
    func isNamed(_ name: KeyPathName) -> Bool
}

/// A key path with its hash, whichever class of an object it is written with.
///
/// `\Base.sum` and `\Derived.sum` are one name, as far as key paths can be read. Hashing and comparing key paths runs
/// code of their arguments. So the hash is found before any lock is taken, and candidates with the same hash are compared
/// after it was left.
struct KeyPathName {
    /// Half of what Swift calculates; even if the components of the key path say all, and odd otherwise.
    typealias Hash = UInt32

    let keyPath: AnyKeyPath
    let hash: Hash

    private static let hashes = KeyPathFacts<Hash>()

    init(_ keyPath: AnyKeyPath) {
        let hash = Self.hashes.fact(of: keyPath) {
            guard let hash = KeyPathComponents(keyPath)?.hashOfWhole else {
                return Hash(truncatingIfNeeded: KeyPathRoot.highest(keyPath).hashValue) | 1
            }
            return Hash(truncatingIfNeeded: hash) & ~1
        }
        self.init(keyPath, hash: hash)
    }

    /// A key path whose hash is known.
    init(_ keyPath: AnyKeyPath, hash: Hash) {
        self.keyPath = keyPath
        self.hash = hash
    }

    /// Whether two names are of key paths that lead the same way from one object.
    func isSame(as other: KeyPathName) -> Bool {
        keyPath === other.keyPath
            || hash == other.hash && KeyPathComponents.areEqual(keyPath, other.keyPath, areWhole: hash & 1 == 0)
    }
}

/// Entries by the hashes of their key paths.
///
/// There are few as a rule, and these are searched. Many are found by their hashes.
struct KeyPathTable<Entry: KeyPathNamed> {
    private enum Storage {
        case few(ContiguousArray<Entry>)
        case many([KeyPathName.Hash: ContiguousArray<Entry>])
    }

    private var storage = Storage.few([])

    private static var most: Int { 8 }

    var all: ContiguousArray<Entry> {
        switch storage {
        case .few(let entries): entries
        case .many(let buckets): ContiguousArray(buckets.values.joined())
        }
    }

    var isEmpty: Bool {
        switch storage {
        case .few(let entries): entries.isEmpty
        case .many(let buckets): buckets.isEmpty
        }
    }

    /// The entries among which one with a name is, if there is one.
    func candidates(for hash: KeyPathName.Hash) -> ContiguousArray<Entry> {
        switch storage {
        case .few(let entries): entries
        case .many(let buckets): buckets[hash] ?? []
        }
    }

    /// Adds an entry, if the candidates for its name are still those that it was compared with.
    mutating func insert(_ entry: Entry, ifCandidatesAre candidates: ContiguousArray<Entry>) -> Bool {
        guard self.candidates(for: entry.nameHash).elementsEqual(candidates, by: ===) else { return false }
        switch take() {
        case .few(var entries) where entries.count < Self.most:
            entries.append(entry)
            storage = .few(entries)
        case .few(let entries):
            let byHash = (entries + [entry]).map { ($0.nameHash, [$0] as ContiguousArray) }
            storage = .many(Dictionary(byHash, uniquingKeysWith: +))
        case .many(var buckets):
            buckets[entry.nameHash, default: []].append(entry)
            storage = .many(buckets)
        }
        return true
    }

    mutating func remove(_ entry: Entry) {
        switch take() {
        case .few(var entries):
            entries.removeAll { $0 === entry }
            storage = .few(entries)
        case .many(var buckets):
            buckets[entry.nameHash]?.removeAll { $0 === entry }
            if buckets[entry.nameHash]?.isEmpty ?? false { buckets[entry.nameHash] = nil }
            storage = .many(buckets)
        }
    }

    /// Takes what is stored, so that it is changed in place.
    private mutating func take() -> Storage {
        var taken = Storage.few([])
        swap(&taken, &storage)
        return taken
    }
}
