// What the tests with several threads share: an object with a lock, and logs and counters that threads may share.
import Foundation
import KeyValueObserving
import Synchronization

/// An object for several threads, which take its lock around a change as the contract demands.
final class Shared: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var text = ""
    @Observed var child: Shared?
    private let lock = NSLock()

    var sum: Int { number + (child?.number ?? 0) }
    var shout: String { text + "!" }

    func locked<Result>(_ body: (Shared) -> Result) -> Result {
        lock.withLock { body(self) }
    }
}

/// A value behind a lock that the thread sanitizer understands, as it does not understand `Mutex`.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}

/// Counts on several threads.
final class SharedCounter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .sequentiallyConsistent) }

    func add(_ count: Int = 1) { value.add(count, ordering: .sequentiallyConsistent) }
}

/// A log that several threads write.
final class SharedLog: Sendable {
    private let state = Locked<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func add(_ line: String) { state.withLock { $0.append(line) } }
}
