// The entry points that the code of `@WhenChanged` calls.
public import KeyValueObserving
public import KeyValueObservingStyles

/// The controller or owner that keeps the registrations of an object's callbacks.
public struct _KeyValueCallbackPlace<Observer: AnyObject> {
    private enum Keeper {
        case controller(KVOController<Observer>)
        case owner(Observer, KeyValueObservationBag)
    }

    private let keeper: Keeper

    /// Keeps them in a controller of the object.
    public init(_ controller: KVOController<Observer>) { keeper = .controller(controller) }

    /// Keeps them in the object itself.
    public init(_ owner: Observer) where Observer: KeyValueObservationOwner {
        keeper = .owner(owner, owner.keyValueObservations)
    }

    /// Registers a handler that calls the method.
    public func observe<Source: KeyValueObservable, Value>(
        _ source: Source, _ keyPath: KeyPath<Source, Value>, options: KeyValueObservingOptions, fileID: StaticString,
        line: UInt, handler: @escaping @isolated(any) (Observer, Source, KeyValueObservedChange<Value>) -> Void
    ) {
        switch keeper {
        case .controller(let controller):
            controller.observe(
                source, keyPath, options: options, fileID: fileID, line: line, changeHandler: handler)
        case .owner(let owner, let bag):
            bag.register(owner, source, keyPath, options, fileID, line, handler)
        }
    }
}
