// The objects whose changes are recorded.
import KeyValueObserving

/// An object that is tracked, which is not held here.
final class TrackedObject {
    private(set) weak var object: AnyObject?
    let type: String
    /// What it is called where steps are saved.
    var name: String?
    /// What it is to be called if no other object is.
    var proposedName: String?
    /// What it is tracked for: itself, or the collections that it is in.
    var reasons: Set<ObjectIdentifier> = []
    /// Whether it was in a collection when the tracking of that began.
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
    /// How many there may be before those are removed that are dead.
    private var limit = 16

    /// The properties of all objects that live, by their names.
    var properties: [any AnyTrackedProperty] {
        let living = entries.values.filter(\.object.isTracked).flatMap(\.properties.values)
        let named = living.map { ($0, $0.owner.name ?? "", $0.key) }
        return named.sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
    }

    /// The object with a name.
    func object(named name: String) -> TrackedObject? { names[name].flatMap { $0.isTracked ? $0 : nil } }

    /// What is known of an object, which is added if nothing is.
    func object(for object: AnyObject, type: String) -> TrackedObject {
        let id = ObjectIdentifier(object)
        if let known = entries[id]?.object, known.isTracked { return known }
        // The object that was at its address is dead.
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

    /// The name of an object, which takes the one that was proposed once no other object has that.
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

    /// The property of an object that a key path leads to, of whatever class of the object the key path is.
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

    /// Notes that no property of an object is observed any more.
    func rest(_ object: TrackedObject) {
        for property in object.object.map({ properties(of: $0) }) ?? [] { property.isObserved = false }
    }

    /// Forgets an object, with all that steps changed in it.
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
