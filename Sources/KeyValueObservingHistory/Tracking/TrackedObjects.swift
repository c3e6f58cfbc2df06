// The objects whose changes are recorded.
import KeyValueObserving

/// A tracked object, held weakly.
final class TrackedObject {
    private(set) weak var object: AnyObject?
    let type: String
    /// The object's name in saved steps.
    var name: String?
    /// The object's name, if no other object gets it.
    var proposedName: String?
    /// The reasons to track it: itself, or the collections that it is in.
    var reasons: Set<ObjectIdentifier> = []
    /// Whether it was in a collection when the manager began to track the collection.
    var isOriginal = false
    /// Whether it was untracked.
    fileprivate var isStopped = false

    init(_ object: AnyObject, type: String) {
        self.object = object
        self.type = type
    }

    var isTracked: Bool { !isStopped && object != nil }
    /// Whether it is tracked by itself, not only as one of a collection.
    var isTrackedItself: Bool { reasons.contains(ObjectIdentifier(self)) }
}

/// The tracked objects of a manager, with their properties.
///
/// It is a class because forgetting values can end the tracking of other objects meanwhile.
final class TrackedObjects {
    /// An object, and its properties by the key paths they were tracked at.
    ///
    /// The properties hold the object's ``TrackedObject``, which therefore does not hold them.
    private struct Entry {
        let object: TrackedObject
        var properties: [AnyKeyPath: any AnyTrackedProperty] = [:]
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var names: [String: TrackedObject] = [:]
    /// How many objects there may be before dead ones are removed.
    private var limit = 16

    /// The properties of all living objects, by their names.
    var properties: [any AnyTrackedProperty] {
        let living = entries.values.filter(\.object.isTracked).flatMap(\.properties.values)
        let named = living.map { ($0, $0.owner.name ?? "", $0.key) }
        return named.sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
    }

    /// The object with a name.
    func object(named name: String) -> TrackedObject? { names[name].flatMap { $0.isTracked ? $0 : nil } }

    /// The tracked form of an object, added if there is none.
    func object(for object: AnyObject, type: String) -> TrackedObject {
        let id = ObjectIdentifier(object)
        if let known = entries[id]?.object, known.isTracked { return known }
        // The former object at its address has died.
        remove(id)
        if entries.count >= limit {
            for (id, entry) in entries where !entry.object.isTracked { remove(id) }
            limit = max(16, entries.count * 2)
        }
        let tracked = TrackedObject(object, type: type)
        entries[id] = Entry(object: tracked)
        return tracked
    }

    func setName(_ name: String, of object: TrackedObject) {
        object.name = name
        names[name] = object
    }

    /// The name of an object, which gets its proposed one if no other object has it.
    func name(of object: TrackedObject) -> String? {
        if object.name == nil, let name = object.proposedName, self.object(named: name) == nil {
            setName(name, of: object)
        }
        return object.name
    }

    /// The properties of an object.
    func properties(of object: AnyObject) -> [any AnyTrackedProperty] {
        entries[ObjectIdentifier(object)].map { Array($0.properties.values) } ?? []
    }

    /// The property of an object at a key path of any of its classes.
    func property(_ keyPath: AnyKeyPath, of object: AnyObject) -> (any AnyTrackedProperty)? {
        guard let properties = entries[ObjectIdentifier(object)]?.properties else { return nil }
        if let known = properties[keyPath] { return known }
        guard let target = Registering.identity(ofAny: keyPath, on: object) else { return nil }
        return properties.first { Registering.identity(ofAny: $0.key, on: object) == target }?.value
    }

    func add(_ property: any AnyTrackedProperty, at keyPath: AnyKeyPath, of object: AnyObject) {
        entries[ObjectIdentifier(object)]?.properties[keyPath] = property
    }

    func property(_ key: String, of object: TrackedObject) -> (any AnyTrackedProperty)? {
        object.object.flatMap { properties(of: $0).first { $0.key == key } }
    }

    /// Records that no property of an object is observed any more.
    func rest(_ object: TrackedObject) {
        for property in object.object.map({ properties(of: $0) }) ?? [] { property.isObserved = false }
    }

    /// Removes an object, with all changes of it in steps.
    ///
    /// - Returns: Whether it was tracked.
    @discardableResult
    func remove(_ id: ObjectIdentifier) -> Bool {
        guard let entry = entries.removeValue(forKey: id) else { return false }
        let wasTracked = entry.object.isTracked
        entry.object.isStopped = true
        if let name = entry.object.name, names[name] === entry.object { names[name] = nil }
        for property in entry.properties.values { property.forget(nil) }
        return wasTracked
    }
}
