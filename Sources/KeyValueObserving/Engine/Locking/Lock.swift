// The one lock of the library.

#if KEY_VALUE_OBSERVING_PTHREAD_LOCK
import CKeyValueObserving

/// A mutual-exclusion lock; this body serves the thread sanitizer, which misreads `Synchronization.Mutex`.
struct Lock: ~Copyable, @unchecked Sendable {
    private let mutex = unsafe kvo_mutex_create()

    deinit {
        unsafe kvo_mutex_destroy(mutex)
    }

    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        unsafe kvo_mutex_lock(mutex)
        defer { unsafe kvo_mutex_unlock(mutex) }
        return body()
    }
}
#elseif KEY_VALUE_OBSERVING_SCHEDULED
/// A mutual-exclusion lock that a scheduler hands out; this body serves `Scripts/explore`.
struct Lock: ~Copyable, @unchecked Sendable {
    private final class Identity {}

    private let identity = Identity()

    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        Scheduling.note(.lock(ObjectIdentifier(identity)))
        defer { Scheduling.note(.unlock(ObjectIdentifier(identity))) }
        return body()
    }
}
#else
import Synchronization

/// A mutual-exclusion lock.
///
/// It is held for a transition of one value. No code of users runs meanwhile.
struct Lock: ~Copyable, Sendable {
    private let mutex = Mutex(())

    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        // What leaves the lock is guarded by its owner's rules, not by region isolation.
        mutex.withLock { _ in Unchecked(value: body()) }.value
    }
}

private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
}
#endif
