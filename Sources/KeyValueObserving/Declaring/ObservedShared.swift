// The property wrapper of a property that several threads change.

/// Makes observable a stored property that several threads read and change.
///
/// ```swift
/// final class Progress: KeyValueObservable, @unchecked Sendable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @ObservedShared var finished = 0
/// }
/// ```
///
/// It is ``Observed`` with a lock of its own. Reading, setting and accessing it in place (`finished += 1`) are atomic
/// with each other, on any threads. The class is `@unchecked Sendable`, because the compiler does not look into
/// wrappers; you answer for its other properties. With `@KeyValueObservable`, of `KeyValueObservingMacros`, the
/// compiler does. Two properties have two locks, so values that must change together belong in one property, as a
/// struct, or under a lock of the class's own.
///
/// ### Order and threads
///
/// Observers are called with every change once, in the order in which the values were stored, one change at a time. The
/// thread that makes a change calls them before its assignment returns, as with `@Observed`, unless another thread is
/// calling them with an earlier change. That thread then calls them next, and the assignment returns at once. So an
/// assignment never waits for the handlers of another thread, and no lock is held while handlers run. Each property has
/// an order of its own.
///
/// The old and new values of each observer form one chain. The property itself may have changed again by then: a
/// handler that reads it gets the current value, which may be later than the `newValue` delivered to it.
///
/// A path, a computed property or an expression that reads the property is evaluated, and its observers are called, by
/// one thread at a time. It may skip values in between, and ends on the final one. If another thread is calling
/// observers while you register, that thread also makes the call of `.initial`, perhaps after `observe` has returned.
/// In a transaction, the deliveries wait for its end, and changes that other threads make until then are delivered
/// after that.
///
/// ### What differs from `@Observed`
///
/// - `.prior` traps: another thread may change the property before the observer has been called.
/// - Changes cannot be announced manually; ``KeyValueObservable/willChangeValue(for:)`` traps, unless the class says that
///   the property notifies manually.
/// - Code that runs while the property is accessed in place must not use it, or this traps. It should be short, because
///   other threads wait for it, and must not wait for another thread. Passing the property inout to an asynchronous
///   function traps if that function resumes on another thread.
/// - A change in place copies an array's storage if a registration requests `.old` or observes a path or computed
///   property that reads it; so does each change through ``KeyValueObservable/mutable(_:)`` while the property is
///   observed.
///
/// The wrapper allocates once for each property of an object. While the object has no observers, a set costs a lock and
/// a load.
@propertyWrapper
public struct ObservedShared<Value: Sendable>: Sendable {
    @usableFromInline let storage: SharedStorage<Value>

    /// Wraps a property's initial value.
    ///
    /// This notifies no observer.
    @inlinable
    public init(wrappedValue: Value) {
        storage = SharedStorage(wrappedValue)
    }

    /// Not available: an observed property needs an object with observers to notify.
    @available(
        *, unavailable,
        message: "@ObservedShared works on instance properties of classes that conform to KeyValueObservable"
    )
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    /// The value, for the class that declares the property.
    ///
    /// The compiler calls this for each access; you never call it yourself.
    @inlinable
    public static subscript<Object: KeyValueObservable>(
        _enclosingInstance object: Object,
        wrapped wrapped: @escaping @autoclosure () -> ReferenceWritableKeyPath<Object, Value>,
        storage storage: @escaping @autoclosure () -> KeyPath<Object, Self>
    ) -> Value {
        @inline(__always) get {
            if _slowPath(ThisThread.isTracking) { Tracker.report(object, shared: wrapped, storage: storage) }
            if Object._reportsPropertyAccesses { object.reportAccess(.read, to: wrapped) }
            // The object holds the storage, and the caller the object.
            let shared = Unretained(object[keyPath: storage()].storage)
            defer { extendLifetime(object) }
            return shared.with { $0.read { SharedAccess.name(of: storage(), in: object) } }
        }
        @inline(__always) set {
            if Object._reportsPropertyAccesses { object.reportAccess(.willChange, to: wrapped) }
            // The old value is released at the end, because it may be an object whose `deinit` reads the property.
            var value = newValue
            // The object holds the storage, and the caller the object.
            let shared = Unretained(object[keyPath: storage()].storage)
            let isDone = shared.with {
                $0.exchange(
                    &value, unless: { KeyValueRegistrar.isObserved(object.keyValueRegistrar.tableAddress) },
                    named: { SharedAccess.name(of: storage(), in: object) })
            }
            extendLifetime(object)
            if _slowPath(!isDone) { SharedAccess.set(object, wrapped, storage, to: value) }
            if Object._reportsPropertyAccesses { object.reportAccess(.didChange, to: wrapped) }
        }
        @inline(__always) _modify {
            if Object._reportsPropertyAccesses { object.reportAccessInPlace(to: wrapped) }
            let shared = object[keyPath: storage()].storage
            SharedAccess.begin(object, shared, wrapped, storage)
            defer {
                SharedAccess.end(object, shared, storage)
                if Object._reportsPropertyAccesses { object.reportAccess(.didChange, to: wrapped) }
            }
            yield &shared.value
        }
    }
}
