// A model with every kind of collection, which can also be changed silently.
import KeyValueObserving

/// Has collections of every kind, and one that notifies manually.
final class Catalog: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var list: [Int] = []
    @Observed var slice: ArraySlice<Int> = []
    @Observed var row: ContiguousArray<Int> = []
    @Observed var members: Set<Int> = []
    @Observed var table: [String: Int] = [:]
    /// Notifies manually.
    @Observed var quiet: [Int] = []
    @Observed var next: Catalog?

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Catalog.quiet }

    /// Sets all collections without notifying observers.
    func restore(_ numbers: [Int]) {
        _list = Observed(wrappedValue: numbers)
        _slice = Observed(wrappedValue: numbers[...])
        _row = Observed(wrappedValue: ContiguousArray(numbers))
        _members = Observed(wrappedValue: Set(numbers))
        _table = Observed(wrappedValue: Self.table(numbers))
        _quiet = Observed(wrappedValue: numbers)
    }

    static func table(_ numbers: [Int]) -> [String: Int] {
        Dictionary(numbers.map { ("\($0)", $0) }) { $1 }
    }
}
