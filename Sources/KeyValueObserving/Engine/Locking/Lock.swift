// The one lock of the library.

#if KEY_VALUE_OBSERVING_PTHREAD_LOCK
import CKeyValueObserving

/// A mutual-exclusion lock; this body serves the thread sanitizer, which misreads `Synchronization.Mutex`.
@usableFromInline
struct Lock: ~Copyable, @unchecked Sendable {
    private let mutex = unsafe kvo_mutex_create()

    deinit {
        unsafe kvo_mutex_destroy(mutex)
    }

    /// Takes the lock; `unlock` must follow on the same thread.
    borrowing func lock() { unsafe kvo_mutex_lock(mutex) }

    borrowing func unlock() { unsafe kvo_mutex_unlock(mutex) }
}
#elseif KEY_VALUE_OBSERVING_SCHEDULED
/// A mutual-exclusion lock that a scheduler hands out; this body serves `Scripts/explore`.
@usableFromInline
struct Lock: ~Copyable, @unchecked Sendable {
    private final class Identity {}

    private let identity = Identity()

    /// Takes the lock; `unlock` must follow on the same thread.
    borrowing func lock() { Scheduling.note(.lock(ObjectIdentifier(identity))) }

    borrowing func unlock() { Scheduling.note(.unlock(ObjectIdentifier(identity))) }
}
#else
import Synchronization

/// A mutual-exclusion lock.
///
/// It is held for a transition of one value. No code of users runs meanwhile, but for the lock of a shared property.
@usableFromInline
struct Lock: ~Copyable, Sendable {
    private let mutex = Mutex(())

    /// Takes the lock; `unlock` must follow on the same thread.
    borrowing func lock() { mutex._unsafeLock() }

    borrowing func unlock() { mutex._unsafeUnlock() }
}
#endif

extension Lock {
    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }
}
