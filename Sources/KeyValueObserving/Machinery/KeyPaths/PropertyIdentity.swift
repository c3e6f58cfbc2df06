// Which property of an object: a number that needs no key path.

/// A property of an object, by where its storage lies in the object.
///
/// An `Observed` property's identity is the distance of its storage from the start of the object. It is the same for
/// all instances of a class and its subclasses, costs no memory, and is a constant once the accessor is compiled.
@frozen @usableFromInline
struct PropertyIdentity: Hashable, Sendable {
    @usableFromInline let rawValue: UInt

    @inlinable
    init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The identity of the storage of `Value` that lies at `address` within `object`.
    ///
    /// Storage without a size has no place of its own: such a property is named by its key path, which is compiled out
    /// for all other types.
    @inlinable @inline(__always)
    init<Value>(
        address: UInt, in object: AnyObject, holding _: Value.Type, at keyPath: @autoclosure () -> AnyKeyPath
    ) {
        if MemoryLayout<Value>.size == 0 {
            rawValue = UInt(bitPattern: keyPath().hashValue) | (1 << (UInt.bitWidth - 1))
        } else {
            rawValue = address &- UInt(bitPattern: ObjectIdentifier(object))
        }
    }

    /// The identity of a property that is only being read.
    ///
    /// The offset is in the key path of the storage. To take the storage's address instead is an access that excludes
    /// others, which a read must not be.
    init<Object: KeyValueObservable, Value>(
        of object: Object, storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        wrapped: @autoclosure () -> ReferenceWritableKeyPath<Object, Value>
    ) {
        if MemoryLayout<Value>.size > 0, let offset = KeyPathComponents.offsetOfStoredProperty(storage) {
            rawValue = offset
        } else {
            self = Observed<Value>.property(of: object, at: storage, wrapped())
        }
    }

    /// The identity of a property that notifies by hand, from its key path.
    ///
    /// It is the same for all classes it may be written for, as far as key paths tell; otherwise it takes key paths that
    /// are equal.
    init(byHand keyPath: AnyKeyPath) {
        let number = KeyPathComponents(keyPath)?.property ?? UInt(bitPattern: keyPath.hashValue)
        rawValue = number | (1 << (UInt.bitWidth - 1))
    }

    /// The bit that stands for this property, and perhaps for others, in a table's mask of observed properties.
    @inlinable
    var bit: UInt64 { 1 << (UInt64(truncatingIfNeeded: rawValue >> 3) & 63) }
}
