// The property wrapper, whose accessors report reads and begin changes.

/// Makes a stored property of a ``KeyValueObservable`` class observable.
///
/// ```swift
/// final class Person: KeyValueObservable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @Observed var age = 0
///     @Observed var address: Address?
///     @Observed private(set) var tags: [String] = []
/// }
/// ```
///
/// Every set of the property is one change, even to an equal value. Every access in place is one, too (`age += 1`,
/// `tags.append("x")`, passing it `inout`). Observers are called on the thread that makes the change, before it
/// returns. While the object has no observers, a set costs a load and a branch more than a plain property's, or two of
/// each if the object was observed before. The wrapper adds no memory.
///
/// Swift's law of exclusivity holds as for a plain property: reading or changing the property while it is accessed in
/// place on the same thread traps.
///
/// The property may be of any type and any access level, in generic classes, in subclasses and in classes isolated to
/// an actor.
///
/// ### willSet and didSet
///
/// The property may have both. Observers are called after `willSet` and before `didSet`. A set inside `didSet` calls
/// `didSet` again, as with every property wrapper and unlike with a plain property. So it needs a condition, as in
/// `didSet { if age > 150 { age = 150 } }`. Without one, the stack overflows. A view,
/// ``KeyValueObservable/mutable(_:)``, calls neither, unless the object's class overrides the property.
///
/// ### Threads
///
/// The value is as safe as that of a plain stored property, because the library puts no lock around it. Guard it as you
/// would without the library, and remember that registering an observation reads the property. For a property that any
/// thread may change, use ``ObservedShared``, which has a lock of its own.
///
/// ### What it cannot wrap
///
/// A `weak` or `lazy` property takes no wrapper. For `weak`, observe a computed property over a box:
///
/// ```swift
/// struct Weak<Object: AnyObject> { weak var object: Object? }
///
/// final class View: KeyValueObservable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @Observed private var ownerBox = Weak<View>()
///     var owner: View? {
///         get { ownerBox.object }
///         set { ownerBox.object = newValue }
///     }
/// }
/// ```
///
/// The object's death makes `owner` nil without a notification, as in Cocoa. For `lazy`, observe an optional and fill
/// it in a computed property.
///
/// Writing the wrapper's storage (`_age`) directly is silent.
@propertyWrapper
public struct Observed<Value> {
    @usableFromInline var value: Value

    /// Wraps a property's initial value.
    ///
    /// This notifies no observer.
    @inlinable
    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    /// Not available: an observed property needs an object whose observers can be notified.
    @available(
        *, unavailable,
        message:
            "@Observed works on instance properties of classes that conform to KeyValueObservable; write x, not _x.wrappedValue"
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
        storage storage: @escaping @autoclosure () -> ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        // Key paths are used only inside closures that capture nothing else. The optimizer turns these into plain
        // functions, and the accessors into the loads and stores of a plain property.
        @inline(__always) get {
            if _slowPath(ThisThread.isTracking) { Tracker.report(object, wrapped: wrapped, storage: storage) }
            if Object._reportsPropertyAccesses { object.reportAccess(.read, to: wrapped) }
            return object[keyPath: storage()].value
        }
        @inline(__always) set {
            if Object._reportsPropertyAccesses { object.reportAccess(.willChange, to: wrapped) }
            let table = object.keyValueRegistrar.tableAddress
            let place = StoragePlace(in: object, at: storage, of: wrapped)
            if _slowPath(KeyValueRegistrar.isObserved(table)) {
                Mutator.set(newValue, at: place, of: object, in: table)
            } else {
                place.set(newValue)
            }
            if Object._reportsPropertyAccesses { object.reportAccess(.didChange, to: wrapped) }
        }
        // The optimizer never inlines this accessor into the class's, so it receives functions that make key paths, not
        // key paths.
        @inline(__always) _modify {
            if Object._reportsPropertyAccesses { object.reportAccessInPlace(to: wrapped) }
            var access = AccessInPlace()
            let pointer = unsafe access.begin(
                storage(), of: object, in: object.keyValueRegistrar.tableAddress, Value.self, named: wrapped)
            defer {
                // Neither the address nor the change retains the object.
                access.end(object)
                extendLifetime(object)
                if Object._reportsPropertyAccesses { object.reportAccess(.didChange, to: wrapped) }
            }
            yield unsafe &pointer.assumingMemoryBound(to: Value.self).pointee
        }
    }
}

extension Observed: Sendable where Value: Sendable {}
