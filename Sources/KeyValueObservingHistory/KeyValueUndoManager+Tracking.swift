// Saying what is recorded.
public import KeyValueObserving

extension KeyValueUndoManager {
    /// Records the changes of one or more properties of an object from here on.
    ///
    /// ```swift
    /// let undoManager = KeyValueUndoManager()
    /// undoManager.track(person, \.name, named: "person", coalescing: .seconds(1))
    /// undoManager.track(person, \.age, \.tags, named: "person")
    /// ```
    ///
    /// A property that is tracked already takes the new `coalescing`. Several managers can track one object; each
    /// property should have one manager, for what one of them undoes is a new change to the others. An array of objects
    /// can be tracked: the objects themselves come back. Their own properties are tracked only if each object is.
    ///
    /// Changes in place of an array, a set or a dictionary are recorded with a copy of the whole value. Those through a
    /// view, `person.mutable(\.tags)`, are recorded with the elements concerned.
    ///
    /// - Parameters:
    ///   - object: The object, held weakly unless the manager retains what it observes.
    ///   - keyPaths: Its own properties: observed ones, manual ones, or computed ones with a setter.
    ///   - name: How the object is called in saved steps; see ``save()``.
    ///   - span: Changes of one of these properties that follow one another within this time are one step, as when text is
    ///     typed. Changes in a transaction or a group are not joined to others. With nil each is a step by itself.
    ///   - isolation: The actor that the manager belongs to: the one this is called on.
    ///   - fileID: Where the registration is made, for `observationInfo`.
    ///   - line: Where the registration is made, for `observationInfo`.
    /// - Precondition: The key paths can be observed and lead through no other object. No other tracked object has the
    ///   name, and the object has no other name.
    /// - Complexity: O(1) for each key path.
    public func track<Object: KeyValueObservable, each Value>(
        _ object: Object, _ keyPaths: repeat ReferenceWritableKeyPath<Object, each Value>, named name: String? = nil,
        coalescing span: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let owner = trackedObject(object, named: name)
        owner.reasons.insert(ObjectIdentifier(owner))
        for keyPath in repeat each keyPaths {
            property(keyPath, of: object, owner, span, fileID, line).observe(by: self, isolation, fileID, line)
        }
    }

    /// Records the changes of a collection, and of properties of each object in it, from here on.
    ///
    /// ```swift
    /// let undoManager = KeyValueUndoManager()
    /// undoManager.track(person, eachOf: \.friends, \.age, named: \.name)
    /// ```
    ///
    /// Objects that come later are tracked from then on. One that has left is no longer tracked, unless it is in
    /// another tracked collection, or was tracked by itself. If a step brings it back, it is tracked again, and the
    /// steps before that change it. When the collection is no longer tracked, its objects are not either.
    ///
    /// With `name` the steps can be saved, if `object` has a name, too: an array or a set as the names of its objects, and an
    /// object that came with a step with what it encodes. ``replay(_:)`` finds objects by their names, or else makes them.
    ///
    /// All else is as for the form without a collection.
    ///
    /// - Parameters:
    ///   - object: The object that has the collection.
    ///   - collection: The collection.
    ///   - first: A property of each object in it.
    ///   - more: More of them.
    ///   - name: The name of each object in saved steps, as it is when the object comes, such as `\.id.uuidString`.
    ///     While another object of the manager has that name, ``save()`` throws.
    ///   - span: Within which time changes are one step.
    ///   - isolation: The actor that the manager belongs to: the one this is called on.
    ///   - fileID: Where the registration is made, for `observationInfo`.
    ///   - line: Where the registration is made, for `observationInfo`.
    /// - Complexity: O(*n*) for each key path, where *n* is the number of objects.
    public func track<Object: KeyValueObservable, Elements: Collection, First, each Value>(
        _ object: Object, eachOf collection: ReferenceWritableKeyPath<Object, Elements>,
        _ first: ReferenceWritableKeyPath<Elements.Element, First>,
        _ more: repeat ReferenceWritableKeyPath<Elements.Element, each Value>,
        named name: KeyPath<Elements.Element, String>? = nil, coalescing span: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) where Elements.Element: KeyValueObservable {
        track(object, collection, coalescing: span, isolation: isolation, fileID: fileID, line: line)
        func properties(of element: Elements.Element, in manager: KeyValueUndoManager) -> [any AnyTrackedProperty] {
            let owner = manager.trackedObject(element, named: nil)
            if let name, manager.tracked.name(of: owner) == nil {
                owner.proposedName = element[keyPath: name]
                _ = manager.tracked.name(of: owner)
            }
            var properties = [manager.property(first, of: element, owner, span, fileID, line)]
            for keyPath in repeat each more {
                properties.append(manager.property(keyPath, of: element, owner, span, fileID, line))
            }
            return properties
        }
        if name != nil {
            tracked.property(collection, of: object)?.nameElements(
                by: NamedElements<Elements>(type: Elements.Element.self, objects: { Array($0) }) { object, manager in
                    (object as? Elements.Element).map { properties(of: $0, in: manager)[0].owner }
                })
        }
        let members = TrackedMembers(of: self)
        kvo.observe(object, eachOf: collection, first, fileID: fileID, line: line) { _, _, _, _ in
        } arrival: { manager, _, element in
            let properties = properties(of: element, in: manager)
            members.insert(properties[0].owner)
            for property in properties { property.observe(by: manager, isolation, fileID, line) }
        } departure: { _, _, element in
            members.remove(element)
        }
    }

    /// A property of a tracked object, which is not observed before that is asked for.
    private func property<Object: KeyValueObservable, Value>(
        _ keyPath: ReferenceWritableKeyPath<Object, Value>, of object: Object, _ owner: TrackedObject,
        _ span: Duration?, _ fileID: StaticString, _ line: UInt
    ) -> any AnyTrackedProperty {
        if KeyPathComponents.leadsToOtherObject(keyPath) {
            fatalError(
                """
                \(PropertyNames.text(of: keyPath)) of \(owner.type) is a property of another object, which may not be the \
                same when a change is undone. Track that object instead.
                """, file: fileID, line: line)
        }
        let property = tracked.property(keyPath, of: object) ?? TrackedProperty(keyPath, of: owner)
        property.coalescing = span
        tracked.add(property, at: keyPath, of: object)
        return property
    }

    private func trackedObject(_ object: some KeyValueObservable, named name: String?) -> TrackedObject {
        let type = TypeName.of(object)
        let owner = tracked.object(for: object, type: type)
        guard let name, name != owner.name else { return owner }
        if let other = owner.name {
            fatalError("A \(type) is tracked as \"\(other)\" and cannot be tracked as \"\(name)\", too.")
        }
        if let other = tracked.object(named: name) {
            fatalError(
                "A \(type) cannot be tracked as \"\(name)\": a \(other.type) has that name. Give it another one.")
        }
        tracked.setName(name, of: owner)
        return owner
    }

    /// Records no more changes of an object, and forgets those that were recorded.
    ///
    /// The object's changes vanish from all steps, as if it had died. An object that is not tracked is passed over.
    public func stopTracking(_ object: some KeyValueObservable) {
        guard tracked.remove(ObjectIdentifier(object)) else { return }
        kvo.unobserve(object)
        announce()
    }

    /// Records no more changes of an object unless there is another reason to track it.
    ///
    /// If that is over for all objects with that reason, what was recorded is forgotten, as no step can bring the object back.
    func stopTracking(_ owner: TrackedObject, for reason: ObjectIdentifier, isOver: Bool) {
        owner.reasons.remove(reason)
        guard owner.reasons.isEmpty, owner.isTracked, let object = owner.object as? any KeyValueObservable else {
            return
        }
        kvo.unobserve(object)
        if isOver { tracked.remove(ObjectIdentifier(object)) } else { tracked.rest(owner) }
    }
}
