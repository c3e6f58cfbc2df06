// Choosing the properties to record.
public import KeyValueObserving

extension KeyValueUndoManager {
    /// Records the changes of one or more properties of an object from now on.
    ///
    /// ```swift
    /// let undoManager = KeyValueUndoManager()
    /// undoManager.track(person, \.name, named: "person", coalescing: .seconds(1))
    /// undoManager.track(person, \.age, \.tags, named: "person")
    /// ```
    ///
    /// A property that is tracked already takes the new `coalescing`. Several managers can track one object; each
    /// property should have one manager, because an undo by one of them is a new change to the others. An array of
    /// objects can be tracked: the objects themselves come back. Their own properties are tracked only if each object
    /// is.
    ///
    /// Changes in place of an array, a set or a dictionary are recorded with a copy of the whole value. Those through a
    /// view, `person.mutable(\.tags)`, are recorded with the elements concerned.
    ///
    /// - Parameters:
    ///   - object: The object, held weakly unless the manager retains the objects it observes.
    ///   - keyPaths: Its own properties: observed ones, manual ones, or computed ones with a setter.
    ///   - name: Identifies the object in saved steps, by its description: a text, a `UUID`; see ``save()``.
    ///   - span: Changes of one of these properties that follow one another within this time are one step, as when text is
    ///     typed. Changes in a transaction or a group are not joined to others. With nil each is a step by itself.
    ///   - isolation: The actor that the manager belongs to, by default the caller's.
    ///   - fileID: The file of the registration, for `observationInfo`.
    ///   - line: The line of the registration, for `observationInfo`.
    /// - Precondition: The key paths can be observed and lead through no other object. No other tracked object has the
    ///   name, and the object has no other name.
    /// - Complexity: O(1) for each key path.
    public func track<Object: KeyValueObservable, each Value>(
        _ object: Object, _ keyPaths: repeat ReferenceWritableKeyPath<Object, each Value>,
        named name: (any CustomStringConvertible & Hashable)? = nil, coalescing span: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let owner = trackedObject(object, named: name?.description)
        owner.reasons.insert(ObjectIdentifier(owner))
        for keyPath in repeat each keyPaths {
            property(keyPath, of: object, owner, span, fileID, line).observe(by: self, isolation, fileID, line)
        }
    }

    /// Records the changes of a collection, and of properties of each object in it, from now on.
    ///
    /// ```swift
    /// let undoManager = KeyValueUndoManager()
    /// undoManager.track(person, eachOf: \.friends, \.age)
    /// ```
    ///
    /// Objects that come later are tracked from then on. One that has left is no longer tracked, unless it is in
    /// another tracked collection, or was tracked by itself. If a step brings it back, it is tracked again, and the
    /// steps before that change it. When the collection is no longer tracked, neither are its objects.
    ///
    /// Everything else is as for the form without a collection.
    ///
    /// - Parameters:
    ///   - object: The object that has the collection.
    ///   - collection: The collection.
    ///   - first: A property of each object in it.
    ///   - more: More of them.
    ///   - span: The time within which changes are one step.
    ///   - isolation: The actor that the manager belongs to, by default the caller's.
    ///   - fileID: The file of the registration, for `observationInfo`.
    ///   - line: The line of the registration, for `observationInfo`.
    /// - Complexity: O(*n*) for each key path, where *n* is the number of objects.
    public func track<Object: KeyValueObservable, Elements: Collection, First, each Value>(
        _ object: Object, eachOf collection: ReferenceWritableKeyPath<Object, Elements>,
        _ first: ReferenceWritableKeyPath<Elements.Element, First>,
        _ more: repeat ReferenceWritableKeyPath<Elements.Element, each Value>, coalescing span: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) where Elements.Element: KeyValueObservable {
        track(
            object, eachOf: collection, first, repeat each more, name: nil, coalescing: span, isolation: isolation,
            fileID, line)
    }

    /// Records the changes of a collection, and of properties of each object in it, as steps that can be saved.
    ///
    /// ```swift
    /// let undoManager = KeyValueUndoManager()
    /// undoManager.track(person, named: "person")
    /// undoManager.track(person, eachOf: \.friends, \.age, named: \.name)
    /// ```
    ///
    /// ``save()`` writes an array or a set as the names of its objects, if `object` has a name, too. Objects that come
    /// later must be `Codable`: they are saved in encoded form, to be created where no object has the name.
    ///
    /// Everything else is as for the form without names.
    ///
    /// - Parameters:
    ///   - object: The object that has the collection.
    ///   - collection: The collection.
    ///   - first: A property of each object in it.
    ///   - more: More of them.
    ///   - name: Identifies each object in saved steps, such as `\.id`: a `String`, a `UUID`, a number. Its description
    ///     is read when the object comes. While another object of the manager has that name, ``save()`` throws.
    ///   - span: The time within which changes are one step.
    ///   - isolation: The actor that the manager belongs to, by default the caller's.
    ///   - fileID: The file of the registration, for `observationInfo`.
    ///   - line: The line of the registration, for `observationInfo`.
    /// - Complexity: O(*n*) for each key path, where *n* is the number of objects.
    public func track<Object: KeyValueObservable, Elements: Collection, First, each Value>(
        _ object: Object, eachOf collection: ReferenceWritableKeyPath<Object, Elements>,
        _ first: ReferenceWritableKeyPath<Elements.Element, First>,
        _ more: repeat ReferenceWritableKeyPath<Elements.Element, each Value>,
        named name: KeyPath<Elements.Element, some CustomStringConvertible & Hashable>,
        coalescing span: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) where Elements.Element: KeyValueObservable {
        track(
            object, eachOf: collection, first, repeat each more, name: { $0[keyPath: name].description },
            coalescing: span, isolation: isolation, fileID, line)
    }

    private func track<Object: KeyValueObservable, Elements: Collection, First, each Value>(
        _ object: Object, eachOf collection: ReferenceWritableKeyPath<Object, Elements>,
        _ first: ReferenceWritableKeyPath<Elements.Element, First>,
        _ more: repeat ReferenceWritableKeyPath<Elements.Element, each Value>,
        name: ((Elements.Element) -> String)?, coalescing span: Duration?, isolation: isolated (any Actor)?,
        _ fileID: StaticString, _ line: UInt
    ) where Elements.Element: KeyValueObservable {
        track(object, collection, coalescing: span, isolation: isolation, fileID: fileID, line: line)
        func properties(of element: Elements.Element, in manager: KeyValueUndoManager) -> [any AnyTrackedProperty] {
            let owner = manager.trackedObject(element, named: nil)
            if let name, manager.tracked.name(of: owner) == nil {
                owner.proposedName = name(element)
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
                    (object as? Elements.Element).map { properties(of: $0, in: manager) } ?? []
                })
        }
        let members = TrackedMembers(of: self, properties: properties) { property, manager in
            property.observe(by: manager, isolation, fileID, line)
        }
        var isFirst = true
        memberships.register(
            object, collection, [.initial, .old, .new], isolation: isolation, fileID, line, reentrant: true
        ) { _, _, change in members.follow(change, isFirst: isFirst) }
        isFirst = false
    }

    /// A property of a tracked object, not yet observed.
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
        let property = tracked.property(keyPath, of: object) ?? TrackedProperty(keyPath, of: owner, fileID, line)
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

    /// Stops recording the changes of an object, and forgets those that were recorded.
    ///
    /// The object's changes vanish from all steps, as if it had died. Steps that changed nothing else are gone, and
    /// ``/KeyValueObserving/KeyValueDiagnostics/noteHandler`` is called. An object that is not tracked is ignored.
    public func stopTracking(_ object: some KeyValueObservable) {
        let count = livingCount
        guard tracked.remove(ObjectIdentifier(object)) else { return }
        kvo.unobserve(object)
        memberships.unobserve(object)
        let endedCount = count - livingCount
        if endedCount > 0 {
            KeyValueDiagnostics.noteOnce(
                """
                stopTracking(_:) of a \(TypeName.of(object)) ended what undo() and redo() could have done with it: steps that \
                changed only that are gone, also if it is tracked again.
                """)
        }
        announce()
    }

    /// How many steps change a living object.
    private var livingCount: Int { undoSteps.count(where: \.isAlive) + redoSteps.count(where: \.isAlive) }

    /// Records no more changes of an object unless there is another reason to track it.
    ///
    /// If this ends for all objects with that reason, the recorded changes are dropped, because no step can bring the
    /// object back.
    func stopTracking(_ owner: TrackedObject, for reason: ObjectIdentifier, isOver: Bool) {
        owner.reasons.remove(reason)
        guard owner.reasons.isEmpty, owner.isTracked, let object = owner.object as? any KeyValueObservable else {
            return
        }
        kvo.unobserve(object)
        if isOver { tracked.remove(ObjectIdentifier(object)) } else { tracked.rest(owner) }
    }
}
