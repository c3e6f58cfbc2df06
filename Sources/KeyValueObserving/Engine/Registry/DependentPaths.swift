// The paths that depend on one property.

/// Paths, each with the number of evaluations that attached it and were not superseded.
///
/// There are few as a rule, and these are searched. Many are found by their identity.
struct DependentPaths {
    private var few: ContiguousArray<ObservedPath> = []
    private var many: [ObjectIdentifier: (path: ObservedPath, count: Int)] = [:]

    private static let most = 8

    var isEmpty: Bool { few.isEmpty && many.isEmpty }

    /// The paths, each once.
    var unique: ContiguousArray<ObservedPath> {
        guard many.isEmpty else { return ContiguousArray(many.values.map(\.path)) }
        guard few.count > 1 else { return few }
        return few.reduce(into: []) { unique, path in
            if !unique.contains(where: { $0 === path }) { unique.append(path) }
        }
    }

    mutating func insert(_ path: ObservedPath) {
        if many.isEmpty, few.count < Self.most {
            few.append(path)
            return
        }
        for path in few { add(path) }
        few = []
        add(path)
    }

    private mutating func add(_ path: ObservedPath) {
        many[ObjectIdentifier(path), default: (path, 0)].count += 1
    }

    /// Takes back one `insert`.
    mutating func remove(_ path: ObservedPath) {
        if let index = few.lastIndex(where: { $0 === path }) {
            few.remove(at: index)
        } else if let (_, count) = many[ObjectIdentifier(path)] {
            if count == 1 {
                many[ObjectIdentifier(path)] = nil
            } else {
                many[ObjectIdentifier(path)]?.count = count - 1
            }
        }
    }
}
