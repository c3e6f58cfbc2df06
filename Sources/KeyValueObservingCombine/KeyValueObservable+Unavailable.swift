// The interface of publishers without Combine and without the package's trait.
#if !canImport(Combine) && !OpenCombine
public import KeyValueObserving

extension KeyValueObservable {
    /// Not available: it is behind a trait of the package.
    @available(
        *, unavailable,
        message: "enable the package's trait: .package(url: …, from: …, traits: [.defaults, \"OpenCombine\"])"
    )
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = []
    ) -> KeyValueObservingPublisher<Self, Value> { fatalError("unavailable") }
}

/// Not available: it is behind a trait of the package.
///
/// It declares the methods that usually follow the call, so that the compiler gets as far as the message.
public struct KeyValueObservingPublisher<Subject, Value> {
    /// Not available.
    public func sink(receiveValue: (Value) -> Void) -> AnyObject { fatalError("unavailable") }
    /// Not available.
    public func map<Result>(_ transform: (Value) -> Result) -> KeyValueObservingPublisher<Subject, Result> {
        fatalError("unavailable")
    }
}
#endif
