// Objects that own the registrations they make.
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
/// The owner is held weakly and passed to each handler, and what it observes is not retained: there is no retain cycle,
/// even if two owners observe each other or an owner observes itself. When either dies, the registrations end.
public protocol KeyValueObservationOwner: AnyObject {
    /// Keeps the registrations: a stored property, which no other owner has.
    var keyValueObservations: KeyValueObservationBag { get }
}

extension KeyValueObservationOwner {
    /// Calls a handler at every change of a key path of a source, for as long as this owner lives.
    ///
    /// A change carries the old and the new value unless `options` say otherwise. Sources are distinguished by identity.
    /// All else is as for ``/KeyValueObserving/KVOController/observe(_:_:options:fileID:line:changeHandler:)``.
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
    /// Like the other forms it may be called at any time, on any thread, inside a handler and in `deinit`; nothing
    /// happens where there is nothing to end.
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
    /// It stays when its registrations end: whoever ends them too finds it, and returns when they have ended.
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

    /// The controller of an observer, made on first use, and for each object that gets the address of one that died.
    @usableFromInline
    func controller(of observer: AnyObject) -> KVOController<AnyObject> {
        if let known = self[observer], known.observer != nil { return known }
        let new = KVOController(observer: observer, retainsObserved: false, duplicates: duplicates)
        // Those of observers that died are forgotten before the list grows. Nothing is released under the lock.
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

    /// Ends everything; also called when the object is gone that has its observers here.
    package func endWithObject() {
        for controller in controllers.withLock({ Array($0.values) }) { controller.unobserveAll() }
    }
}
