// The mark that a thread sets while it changes a property in place.
public import CKeyValueObserving

/// Says which property a thread is changing in place, if its value is just bits, so that an access which overlaps traps,
/// as for a plain property.
///
/// The runtime could keep the record of such an access, and does for all others: that takes as long as the whole of a
/// plain property's `+=`. It is what finds overlaps with the class's own direct accesses to its storage, which would
/// be fatal for a value that holds references, and are not for one that does not.
///
/// A thread has one mark. Who finds it set leaves the access to the runtime. An access that waits for something may end on
/// another thread, and takes the mark away there; until then the first thread keeps it, and the second has none.
@frozen @usableFromInline
struct AccessMark: Equatable {
    /// Where the property is stored, or 0.
    @usableFromInline let address: UInt

    @inlinable @inline(__always)
    init(address: UInt) { self.address = address }

    @inlinable @inline(__always)
    init(of place: UnsafeMutableRawPointer) { self.init(address: UInt(bitPattern: place)) }

    @inlinable static var none: Self {
        @inline(__always) get { Self(address: 0) }
    }

    /// Whether properties with values of a type are marked: they are just bits, and have a place of their own.
    @inlinable @inline(__always)
    static func serves<Value>(_: Value.Type) -> Bool { _isPOD(Value.self) && MemoryLayout<Value>.size != 0 }

    /// The mark of this thread, as far as it can be that of a property with values of a type.
    @inlinable @inline(__always)
    static func ofThisThread<Value>(for _: Value.Type) -> Self {
        serves(Value.self) ? Self(address: kvo_marked()) : .none
    }

    /// Traps if it is that of a property.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - storage: Makes the key path of the property's storage.
    @usableFromInline
    func trapIfOfProperty<Object: KeyValueObservable, Value>(
        of object: Object, _ storage: () -> ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        guard self != .none else { return }
        withoutActuallyEscaping(storage) { storage in
            let place = StoragePlace(keyPath: storage)
            guard unsafe self == Self(of: place.pointer(in: object, at: place.offset(in: object))) else { return }
            let storage = storage()
            fatalError(
                """
                Overlapping accesses to \(PropertyNames.name(ofStorage: storage) ?? "\(storage)") of \
                \(type(of: object)): it is being changed in place, by an operator like += or as an inout argument, and \
                cannot be read or changed before that ends. Copy it to a variable first.
                """)
        }
    }
}
