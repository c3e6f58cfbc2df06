// Calls that do not compile: what to write instead.

extension KeyValueObservable {
    /// Not available: the handler is a trailing closure, or follows its label.
    @available(*, unavailable, message: "write changeHandler: before the handler, or pass it as a trailing closure")
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, _ changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    /// Not available: it is in the product `KeyValueObservingStyles`.
    @available(*, unavailable, message: "import the product KeyValueObservingStyles, or keep what observe returns")
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, for keyPaths: [PartialKeyPath<Self>], options: KeyValueObservingOptions = [.old, .new],
        changeHandler: @escaping (Observer, Self, KeyValueObservedChange<Any>) -> Void
    ) { fatalError("unavailable") }

    /// Not available: an object that runs handlers conforms to ``KeyValueChangeExecutor``.
    @available(
        *, unavailable,
        message: "conform to KeyValueChangeExecutor; for a dispatch queue import the product KeyValueObservingDispatch"
    )
    public func observe<Value: Sendable, Queue: AnyObject>(
        _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new], on queue: Queue,
        changeHandler: @escaping (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }
}
