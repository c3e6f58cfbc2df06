// The paths that depend on one property.

/// Paths, each with the number of evaluations that attached it and were not superseded.
///
/// There are few as a rule, and these are searched. Many are found by their identity.
struct DependentPaths {
    // One word: each property that is observed has one.
    private enum Storage {
        case few(ContiguousArray<ObservedPath>)
        case many(Counts)
    }

    private final class Counts {
        private(set) var paths: [ObjectIdentifier: (path: ObservedPath, count: Int)] = [:]

        func add(_ path: ObservedPath) { paths[ObjectIdentifier(path), default: (path, 0)].count += 1 }

        func remove(_ path: ObservedPath) {
            guard let (_, count) = paths[ObjectIdentifier(path)] else { return }
            paths[ObjectIdentifier(path)] = count > 1 ? (path, count - 1) : nil
        }
    }

    private var storage = Storage.few([])

    private static let most = 8

    var isEmpty: Bool {
        switch storage {
        case .few(let paths): paths.isEmpty
        case .many(let counts): counts.paths.isEmpty
        }
    }

    /// The paths, each once.
    var unique: ContiguousArray<ObservedPath> {
        switch storage {
        case .many(let counts): ContiguousArray(counts.paths.values.map(\.path))
        case .few(let paths) where paths.count < 2: paths
        case .few(let paths):
            paths.reduce(into: []) { unique, path in
                if !unique.contains(where: { $0 === path }) { unique.append(path) }
            }
        }
    }

    mutating func insert(_ path: ObservedPath) {
        switch take() {
        case .few(var paths) where paths.count < Self.most:
            paths.append(path)
            storage = .few(paths)
        case .few(let paths):
            let counts = Counts()
            for path in paths { counts.add(path) }
            counts.add(path)
            storage = .many(counts)
        case .many(let counts):
            counts.add(path)
            storage = .many(counts)
        }
    }

    /// Takes back one `insert`.
    mutating func remove(_ path: ObservedPath) {
        switch take() {
        case .few(var paths):
            if let index = paths.lastIndex(where: { $0 === path }) { paths.remove(at: index) }
            storage = .few(paths)
        case .many(let counts):
            counts.remove(path)
            storage = .many(counts)
        }
    }

    /// Takes what is stored, so that an array is changed in place.
    private mutating func take() -> Storage {
        var taken = Storage.few([])
        swap(&taken, &storage)
        return taken
    }
}
