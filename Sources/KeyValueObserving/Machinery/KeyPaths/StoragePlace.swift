// Where an observed property is stored, found without its key path.
public import CKeyValueObserving

/// Where the storage lies that a key path names.
///
/// To make a key path takes atomic operations on an object that all threads share, and to follow it takes longer than
/// what is done in place. So the offset it leads to is remembered by the function that makes it.
@usableFromInline
struct StoragePlace<Object: AnyObject, Storage> {
    /// A field, because as one it is the two words that the compiler made, without a function around it.
    @usableFromInline let keyPath: () -> ReferenceWritableKeyPath<Object, Storage>

    @inlinable
    init(keyPath: @escaping () -> ReferenceWritableKeyPath<Object, Storage>) {
        self.keyPath = keyPath
    }

    /// How far the storage lies from the start of an object, or 0 if that has not been found out.
    ///
    /// A function without a context always makes the same key path. One with a context may belong to a generic class,
    /// where the storage lies elsewhere for each type.
    @inlinable
    var knownOffset: UInt {
        @inline(__always) get { context == 0 ? kvo_known_offset(function) : 0 }
    }

    @inlinable var function: UInt { unsafe unsafeBitCast(self, to: (UInt, UInt).self).0 }
    @inlinable var context: UInt { unsafe unsafeBitCast(self, to: (UInt, UInt).self).1 }

    /// Points to the storage for as long as the object lives.
    @inlinable @inline(__always)
    func pointer(in object: Object, at offset: UInt) -> UnsafeMutablePointer<Storage> {
        let start = unsafe UnsafeMutableRawPointer(Unmanaged.passUnretained(object).toOpaque())
        return unsafe (start + Int(bitPattern: offset)).assumingMemoryBound(to: Storage.self)
    }

    /// Finds out how far the storage lies from the start of the object.
    @usableFromInline
    func offset(in object: Object) -> UInt {
        let keyPath = keyPath()
        let offset =
            unsafe KeyPathComponents.offsetOfStoredProperty(keyPath)
            ?? withUnsafeMutablePointer(to: &object[keyPath: keyPath]) {
                UInt(bitPattern: $0) - UInt(bitPattern: ObjectIdentifier(object))
            }
        if context == 0 { kvo_note_offset(function, offset) }
        return offset
    }
}
