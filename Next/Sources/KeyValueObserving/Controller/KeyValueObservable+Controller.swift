// The controllers that every observable object has for what it observes itself.

extension KeyValueObservable {
    /// This object's own controller, which retains what it observes.
    ///
    /// ```swift
    /// screen.kvoController.observe(person, \.age) { screen, _, _ in screen.redraw() }
    /// ```
    ///
    /// It is made on first use and lives as long as the object, whose registrations it ends with it. An object has one
    /// set of registrations here, whichever of its classes it is seen as. The same call from the same line is
    /// registered once: see ``KVOController/DuplicatePolicy/ignoreRepeated``. Observing oneself makes no retain cycle.
    /// Two objects that observe each other through their retaining controllers do: use ``kvoControllerNonRetaining``
    /// for one of them. Safe from any thread, and in `deinit`, where it observes nothing.
    public var kvoController: KVOController<Self> {
        keyValueRegistrar.table().attachment { ObjectControllers() }.controller(of: self, retainsObserved: true)
    }

    /// This object's own controller that does not retain what it observes.
    ///
    /// Like ``kvoController`` and independent of it, for objects that live longer than this one anyway, or that observe
    /// this one in turn.
    public var kvoControllerNonRetaining: KVOController<Self> {
        keyValueRegistrar.table().attachment { ObjectControllers() }.controller(of: self, retainsObserved: false)
    }
}

/// The controllers of one object.
final class ObjectControllers: TableAttachment {
    private let retaining = ControllerRegistrations(retainsObserved: true, duplicates: .ignoreRepeated)
    private let nonRetaining = ControllerRegistrations(retainsObserved: false, duplicates: .ignoreRepeated)

    /// A controller names its observer's type, so each class an object is seen as has one of its own; the
    /// registrations behind them are the same.
    private struct Face: Hashable {
        let type: ObjectIdentifier
        let retainsObserved: Bool
    }

    private let faces = Guarded<[Face: AnyObject]>([:])

    func controller<Object: KeyValueObservable>(
        of object: Object, retainsObserved: Bool
    ) -> KVOController<Object> {
        let face = Face(type: ObjectIdentifier(Object.self), retainsObserved: retainsObserved)
        let new = KVOController(observer: object, registrations: retainsObserved ? retaining : nonRetaining)
        let controller = faces.withLock { faces in
            if let known = faces[face] { return known }
            faces[face] = new
            return new
        }
        // The face names the type.
        return unsafe unsafeDowncast(controller, to: KVOController<Object>.self)
    }

    /// Ends all registrations, whoever still holds a controller of the object.
    func endWithObject() {
        retaining.removeAll()
        nonRetaining.removeAll()
        _ = faces.withLock { faces in
            defer { faces = [:] }
            return faces
        }
    }
}
