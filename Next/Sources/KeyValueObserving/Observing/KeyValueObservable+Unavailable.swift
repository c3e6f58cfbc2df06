// A call that does not compile: what to write instead.

extension KeyValueObservable {
    /// Not available: the handler is a trailing closure, or follows its label.
    @available(*, unavailable, message: "write changeHandler: before the handler, or pass it as a trailing closure")
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, _ changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }
}
