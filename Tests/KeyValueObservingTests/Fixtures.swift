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

/// What was delivered to a test, as text: "prior 0→·, 0→1".
final class Log {
    private(set) var lines: [String] = []

    func add(_ line: String) { lines.append(line) }

    func add<Value>(_ change: KeyValueObservedChange<Value>, as name: String? = nil) {
        lines.append((name.map { "\($0) " } ?? "") + text(of: change))
    }

    /// What was delivered since the last call.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// A change as text; an absent value is a dot and nil is nil.
func text<Value>(of change: KeyValueObservedChange<Value>) -> String {
    func text(_ value: Value?) -> String {
        guard let value else { return "·" }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return "\(value)" }
        return mirror.children.first.map { "\($0.value)" } ?? "nil"
    }
    let kind = change.kind == .setting ? "" : "\(change.kind) "
    return (change.isPrior ? "prior " : "") + kind + text(change.oldValue) + "→" + text(change.newValue)
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

/// Passes an object to another thread; the test guards what must be guarded.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
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

/// Holds objects, and can let go of them without notifying anybody.
final class Shelf: KeyValueObservable {
    final class Item {}

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Item] = []

    func clearSilently() { _items = Observed(wrappedValue: []) }
}

/// Whether this is the build of `Scripts/test-plain`, in which nothing is read from the memory of key paths.
#if KEY_VALUE_OBSERVING_PLAIN
let isPlainForm = true
#else
let isPlainForm = false
#endif

/// Whether this is the build of `Scripts/test-threads`.
#if KEY_VALUE_OBSERVING_PTHREAD_LOCK
let isUnderThreadSanitizer = true
#else
let isUnderThreadSanitizer = false
#endif
