// The property wrapper: where a read is reported and where a change begins.

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
/// Every set of the property is one change, an equal value included; so is every access in place (`age += 1`,
/// `tags.append("x")`, passing it `inout`). Observers are called on the thread that makes the change, before it
/// returns. While nobody observes the object, a set costs a few loads and one branch more than a plain property's, and
/// the wrapper adds no memory.
///
/// Swift's law of exclusivity holds as for a plain property: reading or changing the property while it is accessed in
/// place on the same thread traps.
///
/// The property may be of any type and any access level, in generic classes, in subclasses and in classes isolated to
/// an actor; it may have `willSet` and `didSet`.
///
/// ### Threads
///
/// The value is as safe as that of a plain stored property: the library puts no lock around it. Guard it as you would
/// without the library, and remember that registering an observation reads the property.
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
    /// Setting it up notifies nobody.
    @inlinable
    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    /// Not available: an observed property needs an object whose observers can be told.
    @available(
        *, unavailable,
        message: "@Observed works on the properties of classes that conform to KeyValueObservable"
    )
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    /// The value, for the class that declares the property.
    ///
    /// The compiler calls this for each access; it is not called by hand.
    @inlinable
    public static subscript<Object: KeyValueObservable>(
        _enclosingInstance object: Object,
        wrapped wrapped: @escaping @autoclosure () -> ReferenceWritableKeyPath<Object, Value>,
        storage storage: @escaping @autoclosure () -> ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        // A key path is named only inside closures that capture nothing else. The optimizer turns those into plain
        // functions, and the accessors into the loads and stores of a plain property.
        @inline(__always) get {
            let mark = AccessMark.ofThisThread(for: Value.self)
            if _slowPath(PropertyRead.isToBeNoted(mark)) { PropertyRead.note(object, mark, wrapped, storage) }
            return object[keyPath: storage()].value
        }
        @inline(__always) set {
            let table = object.keyValueRegistrar.tableAddress
            let mark = AccessMark.ofThisThread(for: Value.self)
            if _slowPath(KeyValueRegistrar.bitsOfObserved(table) | UInt64(mark.address) != 0) {
                let place = unsafe place(of: object, at: storage())
                unsafe ChangePipeline.set(
                    newValue, at: place, of: object,
                    PropertyIdentity(
                        address: UInt(bitPattern: place), in: object, holding: Value.self, at: wrapped()),
                    in: table, reading: { $0[keyPath: wrapped()] },
                    exchanging: { swap(&$0[keyPath: storage()].value, &$1) })
            } else {
                object[keyPath: storage()].value = newValue
            }
        }
        // The accessor of the class calls this one, whatever the optimizer does: so it is given functions that make key
        // paths, not key paths, and calls them only where somebody observes.
        @inline(__always) _modify {
            var access = AccessInPlace()
            let place = unsafe access.begin(object, StoragePlace(keyPath: storage), wrapped)
            defer {
                access.end(Value.self)
                // `place` does not hold it.
                _fixLifetime(object)
            }
            yield unsafe &place.pointee.value
        }
    }

    /// A live view of the property: `person.$age`.
    @inlinable
    public static subscript<Object: KeyValueObservable>(
        _enclosingInstance object: Object,
        projected projected: KeyPath<Object, ObservedProperty<Value>>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> ObservedProperty<Value> {
        ObservedProperty(object, storage)
    }

    /// Not available: an observed property needs an object whose observers can be told.
    @available(
        *, unavailable,
        message: "@Observed works on the properties of classes that conform to KeyValueObservable"
    )
    public var projectedValue: ObservedProperty<Value> { fatalError("unavailable") }

    /// Where the value is stored that is about to be written.
    ///
    /// It stays there as long as the object lives. Taking the place is an access that excludes others, and so traps if
    /// the property is being accessed. Who writes there before any other code runs needs no further access.
    @inlinable @inline(__always)
    static func place<Object: KeyValueObservable>(
        of object: Object, at storage: ReferenceWritableKeyPath<Object, Self>
    ) -> UnsafeMutablePointer<Value> {
        unsafe withUnsafeMutablePointer(to: &object[keyPath: storage].value) { unsafe $0 }
    }

    /// The identity of the property whose storage is at `storage` in `object`, which is about to be written.
    @inlinable @inline(__always)
    static func property<Object: KeyValueObservable>(
        of object: Object, at storage: ReferenceWritableKeyPath<Object, Self>,
        _ wrapped: ReferenceWritableKeyPath<Object, Value>
    ) -> PropertyIdentity {
        PropertyIdentity(
            address: unsafe withUnsafeMutablePointer(to: &object[keyPath: storage]) { UInt(bitPattern: $0) },
            in: object, holding: Value.self, at: wrapped)
    }
}

extension Observed: Sendable where Value: Sendable {}
