// Calls that do not compile: what to write instead.

extension KeyValueObservable {
    /// Not available: the handler is a trailing closure, or follows its label.
    @available(*, unavailable, message: "write changeHandler: before the handler, or pass it as a trailing closure")
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, _ changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    /// Not available: only a `KeyValueCodable` class of the product `KeyValueCoding` has names for its properties.
    @available(
        *, unavailable,
        message: """
            import KeyValueCoding and conform to KeyValueCodable to observe by name, or pass a key path, as in \
            observe(\\.age)
            """
    )
    public func observe(
        _ keyPath: String, options: KeyValueObservingOptions = [],
        changeHandler: @escaping (Self, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        fatalError("unavailable")
    }
}
