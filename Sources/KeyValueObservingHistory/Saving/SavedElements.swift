// Saving the objects in a list by name, with their encoded data.
import KeyValueObserving

/// The way to save the objects in a list.
struct NamedElements<Value> {
    let type: any KeyValueObservable.Type
    let objects: (Value) -> [AnyObject]
    /// The tracked properties of an object in the list, without observing them.
    ///
    /// The object then has its name, if no other object has it.
    let properties: (AnyObject, KeyValueUndoManager) -> [any AnyTrackedProperty]

    func track(_ element: AnyObject, in manager: KeyValueUndoManager) -> TrackedObject? {
        properties(element, manager).first?.owner
    }
}

/// An object saved with its encoded data, and the list that it is in.
struct SavedElement {
    let object: TrackedObject
    let list: any AnyTrackedProperty
}

extension KeyValueUndoManager {
    /// The form to save: the properties of objects that are tracked by themselves, and of objects in lists with names,
    /// including those that steps insert; without the state, only the latter.
    ///
    /// An element appears once for each list, because lists differ in the properties that they track.
    func form(withState: Bool) throws(KeyValueUndoError) -> SavedForm {
        let (undo, redo) = (undoSteps.filter(\.isAlive), redoSteps.filter(\.isAlive))
        let steps = undo + redo
        let properties = withState ? tracked.properties : unique(steps.flatMap(\.properties))
        var elements: [SavedElement] = []
        var state = withState ? properties.filter(\.owner.isTrackedItself) : []
        for list in properties {
            var found: Set<ObjectIdentifier> = []
            for object in (withState ? list.elements(in: ValueCopies()) : []) + list.elements(in: steps)
            where found.insert(ObjectIdentifier(object)).inserted {
                if let element = try list.saved(object, in: self) { elements.append(element) }
                state += list.properties(of: object, in: self)
            }
        }
        state = unique(state)
        var names: Set<[String]> = []
        for property in state where !names.insert([property.owner.name ?? "", property.key]).inserted {
            throw property.failure(.unnamedProperty, expected: "a name of its own", found: property.key)
        }
        // A newly made element is reverted to its state at its insertion.
        let made = Set(elements.map { ObjectIdentifier($0.object) })
        var copies = ValueCopies()
        let ofMade = state.filter { made.contains(ObjectIdentifier($0.owner)) }
        for step in undo.reversed() { try step.rehearse(in: &copies, of: ofMade) }
        return SavedForm(hasState: withState, state, elements: elements, undo: undo, redo: redo)
    }
}

/// The properties, each once, in the order of their first places.
private func unique(_ properties: [any AnyTrackedProperty]) -> [any AnyTrackedProperty] {
    var known: Set<ObjectIdentifier> = []
    return properties.filter { known.insert(ObjectIdentifier($0)).inserted }
}

extension TrackedProperty {
    func elements(in steps: [UndoStep]) -> [AnyObject] {
        guard let naming else { return [] }
        let changed = steps.flatMap { changes[$0.id]?.list ?? [] }.flatMap { [$0.oldValue, $0.newValue] }
        return changed.compactMap(\.self).flatMap(naming.objects)
    }

    func elements(in copies: ValueCopies) -> [AnyObject] {
        guard let naming, let value = copies[self] ?? object?[keyPath: keyPath] else { return [] }
        return naming.objects(value)
    }

    func name(of element: AnyObject, in manager: KeyValueUndoManager) throws(KeyValueUndoError) -> String {
        if let name = naming?.track(element, in: manager)?.name { return name }
        let found = "a \(TypeName.of(element)) has no name, or that of another object"
        throw failure(.unnamedElement, expected: "a name", found: found)
    }

    func properties(of element: AnyObject, in manager: KeyValueUndoManager) -> [any AnyTrackedProperty] {
        naming?.properties(element, manager) ?? []
    }

    func saved(_ element: AnyObject, in manager: KeyValueUndoManager) throws(KeyValueUndoError) -> SavedElement? {
        guard let naming, let object = naming.track(element, in: manager), !object.isTrackedItself else { return nil }
        do throws(KeyValueUndoError) {
            func refusal(_ reason: String) -> KeyValueUndoError {
                failure(.notCodable, expected: object.type, found: reason)
            }
            guard let codable = element as? any Codable else {
                throw refusal("\(object.type) is not Codable, so a new one could not be made")
            }
            guard type(of: element) == naming.type else {
                throw refusal("a new \(object.type) would be made as a \(TypeName.text(of: naming.type))")
            }
            do { _ = try SavedForm.copy(of: codable) } catch { throw refusal("\(error)") }
        } catch {
            // Each process has this object from the beginning.
            if object.isOriginal { return nil }
            throw error
        }
        _ = try name(of: element, in: manager)
        return SavedElement(object: object, list: self)
    }

    func encode(_ element: SavedElement, to encoder: any Encoder) throws {
        guard let object = element.object.object as? any Encodable else { return }
        var container = try container(of: encoder)
        try container.encode(element.object.name, forKey: .element)
        try container.encode(object, forKey: .value)
    }

    func decodeElement(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SavedForm.Key.self)
        let (name, names) = try (container.decode(String.self, forKey: .element), SavedNames.of(decoder.userInfo))
        guard let naming, let type = naming.type as? any Decodable.Type else {
            throw KeyValueUndoError(code: .unknownObject, objectType: name)
        }
        if names.manager.tracked.object(named: name) == nil {
            names.add(try container.decode(type, forKey: .value) as AnyObject, named: name)
        }
        _ = try naming.track(names.object(named: name), in: names.manager)
    }
}
