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

/// A variable of all threads.
final class Shared<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}

/// Holds something until it is emptied, by whichever thread.
final class Box<Value>: @unchecked Sendable {
    var value: Value?

    init(_ value: Value? = nil) { self.value = value }

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
}

/// An object with properties that any thread may use.
final class Tally: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var x: Int
    @ObservedShared var y = 0
    @ObservedShared var next: Tally?
    @ObservedShared var numbers: [Int] = []

    init(_ x: Int = 0, next: Tally? = nil) {
        self.x = x
        self.next = next
    }

    var sum: Int { x + y }
}

/// An object whose properties any thread may use: a lock of its own guards each value, and its changes are announced.
final class Cell: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    private let lock = UserLock()
    private var stored: Stored

    private struct Stored {
        var (value, numbers): (Int, [Int])
        var (next, other): (Cell?, Cell?)
    }

    init(_ value: Int = 0, next: Cell? = nil, other: Cell? = nil) {
        stored = Stored(value: value, numbers: [], next: next, other: other)
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { false }

    var value: Int {
        get { read(\.value, \.value) }
        set { write(\.value, \.value, newValue) }
    }
    var next: Cell? {
        get { read(\.next, \.next) }
        set { write(\.next, \.next, newValue) }
    }
    var other: Cell? {
        get { read(\.other, \.other) }
        set { write(\.other, \.other, newValue) }
    }
    var numbers: [Int] {
        get { read(\.numbers, \.numbers) }
        set { write(\.numbers, \.numbers, newValue) }
    }

    private func read<Value>(
        _ keyPath: KeyPath<Cell, Value>, _ place: KeyPath<Stored, Value>, name: StaticString = #function
    ) -> Value {
        accessValue(for: keyPath, name: name)
        return lock.withLock { stored[keyPath: place] }
    }

    private func write<Value>(
        _ keyPath: KeyPath<Cell, Value>, _ place: WritableKeyPath<Stored, Value>, _ value: Value
    ) {
        changeValue(for: keyPath) {
            // The old value is released without the lock.
            let old = lock.withLock {
                defer { stored[keyPath: place] = value }
                return stored[keyPath: place]
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Changes the value with announcements around it.
    func announce(_ value: Int, inside body: () -> Void = {}) {
        willChangeValue(for: \.value)
        body()
        lock.withLock { stored.value = value }
        didChangeValue(for: \.value)
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

/// An object with collections that any thread may use.
final class Group: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var members: [Tally]
    @ObservedShared var names: Set<Int> = [1]

    init(_ members: [Tally] = []) { self.members = members }
}
