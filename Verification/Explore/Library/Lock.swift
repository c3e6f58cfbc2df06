// The lock of the library as steps of a scheduler.

/// A mutual-exclusion lock that a scheduler hands out.
@usableFromInline
struct Lock: ~Copyable, @unchecked Sendable {
    private final class Identity {}

    private let identity = Identity()

    /// Takes the lock; `unlock` must follow on the same thread.
    @usableFromInline
    borrowing func lock() { Scheduling.note(.lock(ObjectIdentifier(identity))) }

    @usableFromInline
    borrowing func unlock() { Scheduling.note(.unlock(ObjectIdentifier(identity))) }
}

extension Lock {
    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }
}
