// Finding things by their key paths, without running anybody's `==` under a lock.

/// Something that is found by its key path.
protocol KeyPathNamed: AnyObject {
    /// The hash of its name.
    var nameHash: KeyPathName.Hash { get }
    /// Whether it has a name; to be called without a lock.
    func isNamed(_ name: KeyPathName) -> Bool
}

/// A key path with its hash.
///
/// Hashing and comparing key paths runs code of their arguments. So the hash is found before any lock is taken, and
/// candidates with the same hash are compared after it was left.
struct KeyPathName {
    /// Half of what Swift calculates.
    typealias Hash = UInt32

    let keyPath: AnyKeyPath
    let hash: Hash

    init(_ keyPath: AnyKeyPath) {
        self.init(keyPath, hash: Hash(truncatingIfNeeded: keyPath.hashValue))
    }

    /// A key path whose hash is known.
    init(_ keyPath: AnyKeyPath, hash: Hash) {
        self.keyPath = keyPath
        self.hash = hash
    }

    /// Whether two names are of equal key paths.
    ///
    /// Swift compares arguments as those of the left key path's type, and reads what is not there if the right one's
    /// are of another type. These hardly ever have the same hash.
    func isSame(as other: KeyPathName) -> Bool {
        keyPath === other.keyPath || hash == other.hash && keyPath == other.keyPath
    }
}

/// Entries by the hashes of their key paths.
struct KeyPathTable<Entry: KeyPathNamed> {
    private var buckets: [KeyPathName.Hash: [Entry]] = [:]

    var all: [Entry] { buckets.values.flatMap { $0 } }
    var isEmpty: Bool { buckets.isEmpty }

    /// The entries among which one with a name is, if there is one.
    func candidates(for name: KeyPathName) -> [Entry] { buckets[name.hash] ?? [] }

    /// Adds an entry, if the candidates for its name are still those that it was compared with.
    mutating func insert(_ entry: Entry, ifCandidatesAre candidates: [Entry]) -> Bool {
        let current = buckets[entry.nameHash] ?? []
        guard current.elementsEqual(candidates, by: ===) else { return false }
        buckets[entry.nameHash] = current + [entry]
        return true
    }

    mutating func remove(_ entry: Entry) {
        guard var bucket = buckets[entry.nameHash] else { return }
        bucket.removeAll { $0 === entry }
        buckets[entry.nameHash] = bucket.isEmpty ? nil : bucket
    }
}
