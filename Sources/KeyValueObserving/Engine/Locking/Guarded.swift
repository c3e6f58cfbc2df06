// A value that several threads share.

/// A value behind a lock.
///
/// No code of users runs while the lock is held.
package final class Guarded<Value>: @unchecked Sendable {
    private let lock = Lock()
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}
