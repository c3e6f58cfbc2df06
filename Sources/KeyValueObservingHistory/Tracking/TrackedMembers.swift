// The objects in a tracked collection.
import KeyValueObserving

/// The objects in a tracked collection, held by the registration at the collection.
final class TrackedMembers<Element: KeyValueObservable> {
    private weak let manager: KeyValueUndoManager?
    private let properties: (Element, KeyValueUndoManager) -> [any AnyTrackedProperty]
    private let observe: (any AnyTrackedProperty, KeyValueUndoManager) -> Void
    private var membership = Membership<Element>()
    private var objects: [ObjectIdentifier: TrackedObject] = [:]

    /// - Parameters:
    ///   - manager: The manager that tracks the collection.
    ///   - properties: The properties of an element to track while it is in the collection.
    ///   - observe: Records the changes of an element.
    init(
        of manager: KeyValueUndoManager,
        properties: @escaping (Element, KeyValueUndoManager) -> [any AnyTrackedProperty],
        observe: @escaping (any AnyTrackedProperty, KeyValueUndoManager) -> Void
    ) {
        self.manager = manager
        self.properties = properties
        self.observe = observe
    }

    deinit {
        for object in objects.values { manager?.stopTracking(object, for: ObjectIdentifier(self), isOver: true) }
    }

    /// Follows a change of the collection.
    func follow<Elements: Collection<Element>>(_ change: KeyValueObservedChange<Elements>, isFirst: Bool) {
        let (old, new) = (change.oldValue.map { Array($0) } ?? [], change.newValue.map { Array($0) } ?? [])
        let step = membership.follow(change.kind, old, new)
        for element in step.left { remove(element) }
        for element in step.arrived { insert(element, isOriginal: isFirst) }
    }

    private func insert(_ element: Element, isOriginal: Bool) {
        guard let manager else { return }
        let properties = properties(element, manager)
        let object = properties[0].owner
        objects[ObjectIdentifier(element)] = object
        object.reasons.insert(ObjectIdentifier(self))
        if isOriginal { object.isOriginal = true }
        for property in properties { observe(property, manager) }
    }

    private func remove(_ element: Element) {
        let id = ObjectIdentifier(element)
        guard let object = objects.removeValue(forKey: id) else { return }
        manager?.atEndOfStep { [self] in
            // The object may be in the collection again.
            if objects[id] == nil { manager?.stopTracking(object, for: ObjectIdentifier(self), isOver: false) }
        }
    }
}
