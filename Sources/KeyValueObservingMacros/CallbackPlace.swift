// What the code calls that `@WhenChanged` adds to a class.
public import KeyValueObserving
public import KeyValueObservingStyles

/// Where the registrations of an object's callbacks are kept.
public struct _KeyValueCallbackPlace<Observer: AnyObject> {
    private enum Keeper {
        case controller(KVOController<Observer>)
        case owner(Observer, KeyValueObservationBag)
    }

    private let keeper: Keeper

    /// With a controller of the object.
    public init(_ controller: KVOController<Observer>) { keeper = .controller(controller) }

    /// With the object itself.
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
