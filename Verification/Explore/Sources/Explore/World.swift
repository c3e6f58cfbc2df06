// The objects of the scenarios.
import KeyValueObserving

/// Code of users runs: the thread may be exchanged for another one here, and must hold no lock of the library.
func userCode() { Scheduler.current?.userCode() }

/// A lock of the program's own.
final class UserLock {
    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        Scheduler.current?.lock(ObjectIdentifier(self), isOfUser: true)
        defer { Scheduler.current?.unlock(ObjectIdentifier(self)) }
        return try body()
    }
}

/// Counts itself while it lives; its end is code of users.
class Counted: @unchecked Sendable {
    nonisolated(unsafe) static var alive = 0

    init() { Self.alive += 1 }

    deinit {
        userCode()
        Self.alive -= 1
    }
}

/// Holds something until it is emptied, by whichever thread.
final class Box<Value>: @unchecked Sendable {
    var value: Value?

    init(_ value: Value) { self.value = value }

    /// Lets go of it here.
    func empty() {
        let last = value
        value = nil
        withExtendedLifetime(last) {}
    }
}

/// An object with plain observed properties, which need a lock of the program's where two threads use the same one.
final class Node: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let lock = UserLock()
    @Observed var x = 0
    @Observed var y = 0
    @Observed var next: Node?
    @Observed var numbers: [Int] = []

    var doubled: Int {
        userCode()
        return 2 * x
    }
}

/// An object with properties that any thread may use.
final class Tally: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var x = 0
    @ObservedShared var y = 0
    @ObservedShared var next: Tally?
    @ObservedShared var numbers: [Int] = []

    var doubled: Int {
        userCode()
        return 2 * x
    }

    var sum: Int { x + y }
}

/// An object whose properties any thread may use: a lock of its own guards each value, and its changes are announced.
final class Cell: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    private let lock = UserLock()
    private var storedValue: Int
    private var storedNext: Cell?
    private var storedOther: Cell?

    init(_ value: Int = 0, next: Cell? = nil) {
        storedValue = value
        storedNext = next
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { false }

    var value: Int {
        get {
            accessValue(for: \.value)
            return lock.withLock { storedValue }
        }
        set { changeValue(for: \.value) { lock.withLock { storedValue = newValue } } }
    }

    /// Sets the value without announcing it.
    func setBehind(_ value: Int) { lock.withLock { storedValue = value } }

    var next: Cell? {
        get {
            accessValue(for: \.next)
            return lock.withLock { storedNext }
        }
        set {
            changeValue(for: \.next) {
                let old = lock.withLock {
                    defer { storedNext = newValue }
                    return storedNext
                }
                withExtendedLifetime(old) {}
            }
        }
    }

    var other: Cell? {
        get {
            accessValue(for: \.other)
            return lock.withLock { storedOther }
        }
        set {
            changeValue(for: \.other) {
                let old = lock.withLock {
                    defer { storedOther = newValue }
                    return storedOther
                }
                withExtendedLifetime(old) {}
            }
        }
    }

    /// The value of the next cell if its own is positive, or of the other one.
    var chosen: Int { value > 0 ? next?.value ?? -1 : other?.value ?? -2 }

    /// How often the sum was read.
    private(set) var readings = 0

    /// The sum of three.
    var sum: Int {
        readings += 1
        return value + (next?.value ?? 0) + (other?.value ?? 0)
    }
}
