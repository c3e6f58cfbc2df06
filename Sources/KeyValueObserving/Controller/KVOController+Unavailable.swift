// Messages for calls that lack a label or an object.

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension KVOController {
    @available(*, unavailable, message: "write changeHandler: before the handler, or pass it as a trailing closure")
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) { fatalError("unavailable") }

    @available(*, unavailable, message: "write a list: observe(object, keyPaths: [\\.a, \\.b])")
    public func observe<Object: KeyValueObservable>(
        _ object: Object?, _ first: PartialKeyPath<Object>, _ second: PartialKeyPath<Object>,
        _ third: PartialKeyPath<Object>? = nil, options: KeyValueObservingOptions = [],
        changeHandler: (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) { fatalError("unavailable") }

    @available(*, unavailable, message: "name the object first: onChange(object, \\.a) { observer, old, new in }")
    public func onChange<Object: KeyValueObservable, Value>(
        of keyPath: KeyPath<Object, Value>, initial: Bool = false, _ action: (Observer, Value, Value) -> Void
    ) { fatalError("unavailable") }

    @available(*, unavailable, message: "write initial: true; all other options are those of observe(_:_:options:)")
    public func onChange<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions,
        _ action: (Observer, Value, Value) -> Void
    ) { fatalError("unavailable") }
}
