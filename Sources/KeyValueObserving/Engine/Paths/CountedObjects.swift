// A list whose entries are counted.

/// Objects, each with how often it was inserted and not removed again.
///
/// There are few as a rule, and these are searched. Many are found by their identity.
package struct CountedObjects<Object: AnyObject> {
    // One word: each property that is observed has one.
    private enum Storage {
        case few(ContiguousArray<Object>)
        case many(Counts)
    }

    private final class Counts {
        private(set) var entries: [ObjectIdentifier: (object: Object, count: Int)] = [:]

        func add(_ object: Object) { entries[ObjectIdentifier(object), default: (object, 0)].count += 1 }

        func remove(_ object: Object) {
            guard let (_, count) = entries[ObjectIdentifier(object)] else { return }
            entries[ObjectIdentifier(object)] = count > 1 ? (object, count - 1) : nil
        }
    }

    private var storage = Storage.few([])

    package init() {}

    private static var most: Int { 8 }

    package var isEmpty: Bool {
        switch storage {
        case .few(let objects): objects.isEmpty
        case .many(let counts): counts.entries.isEmpty
        }
    }

    /// The objects, each once.
    package var unique: ContiguousArray<Object> {
        switch storage {
        case .many(let counts): ContiguousArray(counts.entries.values.map(\.object))
        case .few(let objects) where objects.count < 2: objects
        case .few(let objects):
            objects.reduce(into: []) { unique, object in
                if !unique.contains(where: { $0 === object }) { unique.append(object) }
            }
        }
    }

    package func contains(_ object: Object) -> Bool {
        switch storage {
        case .few(let objects): objects.contains { $0 === object }
        case .many(let counts): counts.entries[ObjectIdentifier(object)] != nil
        }
    }

    package mutating func insert(_ object: Object) {
        switch take() {
        case .few(var objects) where objects.count < Self.most:
            objects.append(object)
            storage = .few(objects)
        case .few(let objects):
            let counts = Counts()
            for object in objects { counts.add(object) }
            counts.add(object)
            storage = .many(counts)
        case .many(let counts):
            counts.add(object)
            storage = .many(counts)
        }
    }

    /// Takes back one `insert`.
    package mutating func remove(_ object: Object) {
        switch take() {
        case .few(var objects):
            if let index = objects.lastIndex(where: { $0 === object }) { objects.remove(at: index) }
            storage = .few(objects)
        case .many(let counts):
            counts.remove(object)
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
