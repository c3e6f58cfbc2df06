// The controllers of an observable object, for its own observations.

extension KeyValueObservable {
    /// This object's own controller, which retains the objects it observes.
    ///
    /// ```swift
    /// screen.kvoController.observe(person, \.age) { screen, _, _ in screen.redraw() }
    /// ```
    ///
    /// It is made on first use and ends all its registrations with the object. The same call from the same line is
    /// registered once: see ``KVOController/DuplicatePolicy/replaceRepeated``. Two objects that observe each other
    /// through their retaining controllers make a retain cycle: use ``kvoControllerNonRetaining`` for one of them. Safe
    /// from any thread, and in `deinit`, where it observes nothing.
    public var kvoController: KVOController<Self> {
        keyValueRegistrar.table().attachment { ObjectControllers() }.controller(of: self, retainsObserved: true)
    }

    /// This object's own controller that does not retain the objects it observes.
    ///
    /// Like ``kvoController`` and independent of it, for objects that outlive this one, or that observe it in turn.
    public var kvoControllerNonRetaining: KVOController<Self> {
        keyValueRegistrar.table().attachment { ObjectControllers() }.controller(of: self, retainsObserved: false)
    }
}

/// The controllers of one object.
final class ObjectControllers: TableAttachment {
    private let retaining = ControllerRegistrations(retainsObserved: true, duplicates: .replaceRepeated)
    private let nonRetaining = ControllerRegistrations(retainsObserved: false, duplicates: .replaceRepeated)

    /// The observer's type is part of a controller's type, so an object has one for each of its classes; they share
    /// registrations.
    private struct Face: Hashable {
        let type: ObjectIdentifier
        let retainsObserved: Bool
    }

    private let faces = Guarded<[Face: AnyObject]>([:])

    func controller<Object: KeyValueObservable>(of object: Object, retainsObserved: Bool) -> KVOController<Object> {
        let face = Face(type: ObjectIdentifier(Object.self), retainsObserved: retainsObserved)
        let new = KVOController(observer: object, registrations: retainsObserved ? retaining : nonRetaining)
        let controller = faces.withLock { faces in
            if let known = faces[face] { return known }
            faces[face] = new
            return new
        }
        // The face determines the type.
        return unsafe unsafeDowncast(controller, to: KVOController<Object>.self)
    }

    /// Ends all registrations, even if a controller of the object lives on.
    func endWithObject() {
        retaining.removeAll()
        nonRetaining.removeAll()
        _ = faces.withLock { faces in
            defer { faces = [:] }
            return faces
        }
    }
}
