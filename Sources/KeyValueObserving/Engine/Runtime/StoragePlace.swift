// Where an observed property is stored, so that it can be read and set without its key path.

#if KEY_VALUE_OBSERVING_PLAIN
/// Where the value of an observed property is stored: its key path, and the object, which this holds.
@usableFromInline
struct StoragePlace<Value> {
    @usableFromInline let property: PropertyIdentity
    private let get: () -> Value
    private let modify: ((inout Value) -> Void) -> Void

    @usableFromInline
    init<Object: KeyValueObservable>(
        in object: Object, at storage: @escaping () -> ReferenceWritableKeyPath<Object, Observed<Value>>,
        of wrapped: () -> ReferenceWritableKeyPath<Object, Value>
    ) {
        property = PropertyIdentity.ofRead(object, storage: storage(), wrapped: wrapped)
        get = { object[keyPath: storage()].value }
        modify = { $0(&object[keyPath: storage()].value) }
    }

    /// The value; traps if it is being changed.
    @usableFromInline
    func read() -> Value { get() }

    /// Looks at the value; traps if it is being changed.
    @usableFromInline
    func read<Result>(_ body: (Value) -> Result) -> Result { body(get()) }

    /// Changes the value; traps if it is being accessed.
    @usableFromInline
    func change(_ body: (inout Value) -> Void) { modify(body) }

    /// Exchanges the value with another one.
    @usableFromInline
    func exchange(_ value: inout Value) { modify { swap(&$0, &value) } }
}
#else
public import CKeyValueObserving

/// Where the value of an observed property is stored: an address within the object, which the owner of this holds.
///
/// A stored property of an object stays where it is as long as the object lives. Taking its address is an access that
/// excludes others, so it traps if the property is being accessed. A set needs no further access; who runs code of others
/// while the value changes begins one.
@frozen @usableFromInline
@safe struct StoragePlace<Value> {
    @usableFromInline let pointer: UnsafeMutablePointer<Value>
    @usableFromInline let property: PropertyIdentity

    /// Takes the address of the storage, for a change that is about to be made.
    @inlinable @inline(__always)
    init<Object: KeyValueObservable>(
        in object: Object, at storage: () -> ReferenceWritableKeyPath<Object, Observed<Value>>,
        of wrapped: () -> ReferenceWritableKeyPath<Object, Value>
    ) {
        unsafe self.init(at: &object[keyPath: storage()].value, in: object) { PropertyIdentity(interning: wrapped()) }
    }

    /// The place at an address.
    @inlinable @inline(__always)
    init(at pointer: UnsafeMutablePointer<Value>, in object: AnyObject, _ interned: () -> PropertyIdentity) {
        unsafe self.pointer = pointer
        property =
            MemoryLayout<Value>.size == 0
            ? interned()
            : PropertyIdentity(
                rawValue: UInt(bitPattern: pointer) &- UInt(bitPattern: ObjectIdentifier(object)))
    }

    /// The place of a property whose storage has been found before; if the value has no size, nothing is read there.
    @inlinable @inline(__always)
    init(of property: PropertyIdentity, in object: AnyObject) {
        let start = unsafe UnsafeMutableRawPointer(Unmanaged.passUnretained(object).toOpaque())
        unsafe pointer = (start + Int(bitPattern: property.rawValue)).assumingMemoryBound(to: Value.self)
        self.property = property
    }

    /// The value; traps if it is being changed.
    @inlinable @inline(__always)
    func read() -> Value {
        if MemoryLayout<Value>.size != 0 { unsafe kvo_check_read(pointer) }
        return unsafe pointer.pointee
    }

    /// Looks at the value; traps if it is being changed.
    @inlinable @inline(__always)
    func read<Result>(_ body: (Value) -> Result) -> Result {
        if MemoryLayout<Value>.size != 0 { unsafe kvo_check_read(pointer) }
        return unsafe body(pointer.pointee)
    }

    /// Changes the value; traps if it is being accessed.
    @inlinable @inline(__always)
    func change(_ body: (inout Value) -> Void) {
        var access = ExclusiveAccess()
        unsafe access.begin(at: pointer)
        unsafe body(&pointer.pointee)
        access.end()
    }

    /// Exchanges the value with another one.
    ///
    /// Nothing else is accessing it on this thread: taking its address would have trapped, and what has been called since
    /// has ended its own accesses.
    @inlinable @inline(__always)
    func exchange(_ value: inout Value) {
        unsafe swap(&pointer.pointee, &value)
    }
}
#endif

extension PropertyIdentity {
    /// The identity of a property that several threads change, from the key path of its storage.
    @usableFromInline
    static func ofShared<Object: KeyValueObservable, Value>(
        _ object: Object, storage: ReferenceWritableKeyPath<Object, ObservedShared<Value>>
    ) -> Self {
        #if KEY_VALUE_OBSERVING_PLAIN
        return Self(interning: storage)
        #else
        return KeyPathComponents.offsetOfStoredProperty(storage).map { Self(rawValue: $0) } ?? Self(interning: storage)
        #endif
    }

    /// The identity of a property that is being read, from the key path of its storage.
    ///
    /// Its address is not taken, for that would exclude other reads. This is no initializer, because one would count
    /// references to its arguments.
    static func ofRead<Object: KeyValueObservable, Value>(
        _ object: Object, storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        wrapped: () -> ReferenceWritableKeyPath<Object, Value>
    ) -> Self {
        // The key paths of two storages without a size may be equal.
        if MemoryLayout<Value>.size == 0 { return Self(interning: wrapped()) }
        #if KEY_VALUE_OBSERVING_PLAIN
        return Self(interning: storage)
        #else
        if let offset = KeyPathComponents.offsetOfStoredProperty(storage) { return Self(rawValue: offset) }
        return StoragePlace(in: object, at: { storage }, of: wrapped).property
        #endif
    }
}
