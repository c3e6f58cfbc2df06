// How the objects in a list are saved: by name, and those that steps bring with what they encode.
import KeyValueObserving

/// How the objects in a list are saved.
struct NamedElements<Value> {
    let type: any KeyValueObservable.Type
    let objects: (Value) -> [AnyObject]
    /// Tracks an object as one of the list, though it is not observed, and gives it its name, if no other object has that.
    let track: (AnyObject, KeyValueUndoManager) -> TrackedObject?
}

/// An object that comes with a step, and the list that it comes to.
typealias NewObject = (object: TrackedObject, list: any AnyTrackedProperty)

extension KeyValueUndoManager {
    /// The objects that steps bring into lists with names, so that they are to be made when the steps are replayed.
    ///
    /// Each is there once for each list, as lists differ in what they track.
    func newObjects(undo: [UndoStep], redo: [UndoStep]) throws(KeyValueUndoError) -> [NewObject] {
        var (known, came): (Set<ObjectIdentifier>, [ObjectIdentifier: Set<ObjectIdentifier>]) = ([], [:])
        var new: [NewObject] = []
        for (step, isRedo) in undo.map({ ($0, false) }) + redo.reversed().map({ ($0, true) }) {
            let lists = step.properties.filter(\.isTracked).map { ($0, $0.objects(in: step.id, isRedo: isRedo)) }
            for id in lists.flatMap({ $0.1.old.map { ObjectIdentifier($0) } }) where came[id] == nil {
                known.insert(id)
            }
            for (list, objects) in lists {
                for object in objects.new {
                    let id = ObjectIdentifier(object)
                    guard !known.contains(id), came[id, default: []].insert(ObjectIdentifier(list)).inserted,
                        let owner = try list.checkNew(object, in: self)
                    else { continue }
                    new.append((owner, list))
                }
            }
        }
        // A new object is led back to what it was when it came.
        let owners = Set(new.map { ObjectIdentifier($0.object) })
        var copies = ValueCopies()
        for step in undo.reversed() { try step.rehearse(in: &copies, of: owners) }
        return new
    }
}

extension TrackedProperty {
    func objects(in step: UndoStep.ID, isRedo: Bool) -> (old: [AnyObject], new: [AnyObject]) {
        guard let naming, let changes = changes[step] else { return ([], []) }
        var (old, new, came): ([AnyObject], [AnyObject], Set<ObjectIdentifier>) = ([], [], [])
        for change in isRedo ? changes.inverses : changes.list {
            old += change.oldValue.map(naming.objects)?.filter { !came.contains(ObjectIdentifier($0)) } ?? []
            let arrived = change.newValue.map(naming.objects) ?? []
            new += arrived
            came.formUnion(arrived.map { ObjectIdentifier($0) })
        }
        return (old, new)
    }

    func name(of element: AnyObject, in manager: KeyValueUndoManager) throws(KeyValueUndoError) -> String {
        if let name = naming?.track(element, manager)?.name { return name }
        let found = "a \(TypeName.of(element)) has no name, or that of another object"
        throw failure(.unnamedElement, expected: "a name", found: found)
    }

    func checkNew(_ object: AnyObject, in manager: KeyValueUndoManager) throws(KeyValueUndoError) -> TrackedObject? {
        guard let naming, let tracked = naming.track(object, manager),
            !tracked.reasons.contains(ObjectIdentifier(tracked))
        else { return nil }
        func refusal(_ property: (any AnyTrackedProperty)?, _ reason: String) -> KeyValueUndoError {
            KeyValueUndoError(
                code: .notCodable, objectType: property?.owner.type ?? owner.type, key: property?.key ?? key,
                expected: tracked.type, found: reason)
        }
        guard let codable = object as? any Codable else {
            throw refusal(nil, "\(tracked.type) is not Codable, so a new one could not be made")
        }
        guard type(of: object) == naming.type else {
            throw refusal(nil, "a new \(tracked.type) would be made as a \(TypeName.text(of: naming.type))")
        }
        let copy: Any
        do { copy = try SavedSteps.copy(of: codable) } catch { throw refusal(nil, "\(error)") }
        for property in manager.tracked.properties(of: object) where !property.isSame(in: copy) {
            throw refusal(property, "it has another value when a \(tracked.type) is read back")
        }
        return tracked
    }

    func isSame(in copy: Any) -> Bool {
        guard let object, let copy = copy as? Object else { return false }
        return SameValue.areSame(object[keyPath: keyPath], copy[keyPath: keyPath])
    }

    func encode(new element: TrackedObject, to encoder: any Encoder) throws {
        guard let object = element.object as? any Encodable else { return }
        var container = encoder.container(keyedBy: UndoStep.PropertyKey.self)
        try container.encode(owner.name, forKey: .object)
        try container.encode(key, forKey: .key)
        try container.encode(element.name, forKey: .name)
        try container.encode(object, forKey: .value)
    }

    func decodeNew(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: UndoStep.PropertyKey.self)
        let (name, lookup) = try (container.decode(String.self, forKey: .name), PropertyLookup.of(decoder.userInfo))
        guard let naming, let type = naming.type as? any Decodable.Type else {
            throw KeyValueUndoError(code: .unknownObject, objectType: name)
        }
        if lookup.manager.tracked.object(named: name) == nil {
            lookup.add(try container.decode(type, forKey: .value) as AnyObject, named: name)
        }
        _ = try naming.track(lookup.object(named: name), lookup.manager)
    }
}
