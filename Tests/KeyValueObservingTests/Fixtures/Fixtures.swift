// The classes that the tests observe.
import Foundation
import KeyValueObserving

/// The object of most tests: plain, optional, computed and in-place properties.
class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    @Observed var name = ""
    @Observed var address: Address?
    @Observed var friend: Person?
    @Observed var tags: [String] = []
    @Observed var frame = Frame()

    var isAdult: Bool { age >= 18 }
    var summary: String { "\(name), \(age)" }
    /// Settable, and not the property behind it.
    var months: Int {
        get { age * 12 }
        set { age = newValue / 12 }
    }
}

final class Address: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var city: String
    @Observed var zip: Int?

    init(city: String = "") {
        self.city = city
    }
}

struct Frame: Equatable {
    var width = 0
    var height = 0
}

/// Inherits its observable properties and adds one.
class Student: Person {
    @Observed var school = ""
}

/// What happened, on any thread.
final class Questions: Sendable {
    private let lines = Guarded<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// A value behind a lock that the thread sanitizer understands, which it does not of `Synchronization.Mutex`.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    @discardableResult
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// Holds objects, and can release them without notifying observers.
final class Shelf: KeyValueObservable {
    final class Item {}

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Item] = []

    func clearSilently() { _items = Observed(wrappedValue: []) }
}
