// A value that several threads share.

/// A value behind a lock.
///
/// No code of users runs while the lock is held.
package final class Guarded<Value>: @unchecked Sendable {
    private let lock = Lock()
    // The lock makes accesses exclusive.
    @exclusivity(unchecked) private var value: Value

    package init(_ value: Value) {
        unsafe self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { unsafe body(&value) }
    }
}
