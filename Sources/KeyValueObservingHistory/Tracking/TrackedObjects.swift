// The objects whose changes are recorded.

/// An object that is tracked, which is not held here.
final class TrackedObject {
    private(set) weak var object: AnyObject?
    let type: String
    /// What it is called where steps are saved.
    var name: String?
    var properties: [any AnyTrackedProperty] = []
    /// Whether it was untracked.
    var isStopped = false

    init(_ object: AnyObject, type: String) {
        self.object = object
        self.type = type
    }

    var isTracked: Bool { !isStopped && object != nil }
}

/// The tracked objects of a manager.
struct TrackedObjects {
    private var objects: [ObjectIdentifier: TrackedObject] = [:]
    /// How many there may be before those are removed that are dead.
    private var limit = 16

    /// What is known of an object.
    subscript(object: AnyObject) -> TrackedObject? {
        objects[ObjectIdentifier(object)].flatMap { $0.isTracked ? $0 : nil }
    }

    /// The object with a name.
    func object(named name: String) -> TrackedObject? {
        objects.values.first { $0.isTracked && $0.name == name }
    }

    /// Adds what is known of an object, and returns it.
    mutating func insert(_ tracked: TrackedObject, for object: AnyObject) -> TrackedObject {
        if objects.count >= limit {
            objects = objects.filter { $0.value.isTracked }
            limit = max(16, objects.count * 2)
        }
        objects[ObjectIdentifier(object)] = tracked
        return tracked
    }

    mutating func remove(_ object: AnyObject) -> TrackedObject? {
        objects.removeValue(forKey: ObjectIdentifier(object)).flatMap { $0.isTracked ? $0 : nil }
    }
}
