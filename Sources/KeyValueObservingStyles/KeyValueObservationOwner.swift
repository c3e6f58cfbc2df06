// Objects that own their registrations.
public import KeyValueObserving

/// An object that observes others and owns these registrations.
///
/// ```swift
/// final class Badge: KeyValueObservationOwner {
///     let keyValueObservations = KeyValueObservationBag()     // the only line a class needs
///     var text = ""
///
///     func show(_ person: Person) {
///         observe(person, \.name) { badge, person, change in badge.text = change.requiredNewValue }
///     }
/// }
/// ```
///
/// Each handler receives the owner, which is held weakly, and observed objects are not retained. There is thus no
/// retain cycle, even if two owners observe each other or an owner observes itself. When either dies, the registrations
/// end.
public protocol KeyValueObservationOwner: AnyObject {
    /// The bag that keeps the registrations; a stored property, not shared with another owner.
    var keyValueObservations: KeyValueObservationBag { get }
}

extension KeyValueObservationOwner {
    /// Calls a handler at every change of a key path of a source, as long as this owner lives.
    ///
    /// A change carries the old and the new value unless `options` say otherwise. Sources are distinguished by
    /// identity. Everything else is as for
    /// ``/KeyValueObserving/KVOController/observe(_:_:options:fileID:line:changeHandler:)``.
    @inlinable
    public func observe<Source: KeyValueObservable, Value>(
        _ source: Source, _ keyPath: KeyPath<Source, Value>, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, Source, KeyValueObservedChange<Value>) -> Void
    ) {
        keyValueObservations.register(self, source, keyPath, options, fileID, line, changeHandler)
    }

    /// Ends this owner's registrations of one key path of a source.
    ///
    /// You may call it, like the other forms, at any time, on any thread, inside a handler and in `deinit`. It does
    /// nothing if there is no such registration.
    public func stopObserving<Source: KeyValueObservable>(_ source: Source, _ keyPath: PartialKeyPath<Source>) {
        keyValueObservations[self]?.unobserve(source, keyPath)
    }

    /// Ends all registrations of this owner on a source.
    public func stopObserving(_ source: some KeyValueObservable) {
        keyValueObservations[self]?.unobserve(source)
    }

    /// Ends all registrations of this owner.
    public func stopObservingAll() { keyValueObservations[self]?.unobserveAll() }
}

/// Keeps the registrations of an owner, and ends them when it is released.
///
/// Each ``KeyValueObservationOwner`` has one as a stored property. It may be used from any thread.
public final class KeyValueObservationBag: TableAttachment, Sendable {
    private let duplicates: KVOController<AnyObject>.DuplicatePolicy
    /// A controller for each observer, found by its address.
    ///
    /// A controller stays when its registrations end, so that another thread that ends them finds it, and returns when
    /// they have ended.
    private let controllers = Guarded<[ObjectIdentifier: KVOController<AnyObject>]>([:])

    /// Creates an empty bag.
    public convenience init() { self.init(duplicates: .replaceRepeated) }

    init(duplicates: KVOController<AnyObject>.DuplicatePolicy) { self.duplicates = duplicates }

    /// Registers a handler with the controller of an observer.
    @inlinable
    package func register<Observer: AnyObject, Object: KeyValueObservable, Value>(
        _ observer: Observer, _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions,
        _ fileID: StaticString, _ line: UInt,
        _ handler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        let call = ActionHandler(handler).call
        controller(of: observer).register(object, keyPath, options, isolation: handler.isolation, fileID, line) {
            call(unsafe unsafeDowncast($0, to: Observer.self), $1, $2)
        }
    }

    /// The controller of an observer, created at the first use, or if the controller found belonged to a dead object at
    /// the same address.
    @usableFromInline
    func controller(of observer: AnyObject) -> KVOController<AnyObject> {
        if let known = self[observer], known.observer != nil { return known }
        let new = KVOController(observer: observer, retainsObserved: false, duplicates: duplicates)
        // Controllers of dead observers are removed before the list grows. Nothing is released under the lock.
        let full = controllers.withLock { $0.count == $0.capacity ? $0 : [:] }
        let dead = full.filter { $0.value.observer == nil }
        let (controller, outdated) = controllers.withLock { list -> (KVOController<AnyObject>, AnyObject?) in
            for (id, controller) in dead where list[id] === controller { list[id] = nil }
            if !full.isEmpty { list.reserveCapacity(list.count * 2) }
            let known = list[ObjectIdentifier(observer)]
            if let known, known.observer != nil { return (known, new) }
            list[ObjectIdentifier(observer)] = new
            return (new, known)
        }
        withExtendedLifetime((full, outdated)) {}
        return controller
    }

    /// The controller of an observer, which may be in its `deinit`.
    subscript(observer: AnyObject) -> KVOController<AnyObject>? {
        controllers.withLock { $0[ObjectIdentifier(observer)] }
    }

    /// Ends all registrations; also called when the object that keeps this bag has died.
    package func endWithObject() {
        for controller in controllers.withLock({ Array($0.values) }) { controller.unobserveAll() }
    }
}
