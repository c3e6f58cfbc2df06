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
    @usableFromInline
    borrowing func lock() { unsafe kvo_mutex_lock(mutex) }

    @usableFromInline
    borrowing func unlock() { unsafe kvo_mutex_unlock(mutex) }

    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }
}
#else
public import Synchronization

/// A mutual-exclusion lock.
///
/// It is held for a transition of one value. Code of users runs only under the lock of a shared property.
@usableFromInline
struct Lock: ~Copyable, Sendable {
    @usableFromInline let mutex = Mutex(())

    /// Takes the lock; `unlock` must follow on the same thread.
    @inlinable
    borrowing func lock() { mutex._unsafeLock() }

    @inlinable
    borrowing func unlock() { mutex._unsafeUnlock() }

    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        mutex._unsafeLock()
        let result = body()
        mutex._unsafeUnlock()
        return result
    }
}
#endif

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

extension Guarded {
    /// The entry of a class, created at the first use.
    package func entry<Entry>(of type: Any.Type, orElse make: () -> Entry) -> Entry
    where Value == [ObjectIdentifier: Entry] {
        withLock { entries in
            if let entry = entries[ObjectIdentifier(type)] { return entry }
            let entry = make()
            entries[ObjectIdentifier(type)] = entry
            return entry
        }
    }
}
