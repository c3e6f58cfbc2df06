// What the server reports on.
import KeyValueObserving

/// A download that any thread may continue.
final class Download: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let name: String
    @ObservedShared var percent = 0

    init(_ name: String) { self.name = name }
}
