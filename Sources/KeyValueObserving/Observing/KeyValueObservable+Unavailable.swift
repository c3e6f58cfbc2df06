// Messages for calls that do not compile.

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension KeyValueObservable {
    @available(*, unavailable, message: "write changeHandler: before the handler, or pass it as a trailing closure")
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, _ changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(*, unavailable, message: "write a list: observe(keyPaths: [\\.a, \\.b]) { object, change in }")
    public func observe(
        _ first: PartialKeyPath<Self>, _ second: PartialKeyPath<Self>, _ third: PartialKeyPath<Self>? = nil,
        _ fourth: PartialKeyPath<Self>? = nil, options: KeyValueObservingOptions = [],
        changeHandler: (Self, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(*, unavailable, message: "import the product KeyValueObservingStyles, or keep what observe returns")
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, for keyPaths: [PartialKeyPath<Self>], options: KeyValueObservingOptions = [.old, .new],
        changeHandler: @escaping (Observer, Self, KeyValueObservedChange<Any>) -> Void
    ) { fatalError("unavailable") }

    @available(*, unavailable, message: "write a list, for: [\\.a], and import the product KeyValueObservingStyles")
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, for keyPath: PartialKeyPath<Self>, options: KeyValueObservingOptions = [],
        changeHandler: (Observer, Self, KeyValueObservedChange<Any>) -> Void
    ) { fatalError("unavailable") }

    @available(*, unavailable, message: "write initial: true; all other options are those of observe(_:options:)")
    public func onChange<Value>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions, _ action: (Value, Value) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }
}
