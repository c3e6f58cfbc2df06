// Calls that lack a label: what to write instead.

extension KVOController {
    /// Not available: the handler is a trailing closure, or follows its label.
    @available(*, unavailable, message: "write changeHandler: before the handler, or pass it as a trailing closure")
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) { fatalError("unavailable") }
}
