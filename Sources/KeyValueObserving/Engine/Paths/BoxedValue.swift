// A value that is kept for observers by code that does not know its type.

/// A value, or none, of a type that only its maker and its reader know.
///
/// A generic class would be compiled once for all types, and ask for their metadata at each step. This one is filled
/// where the type is known: a small value lies in the object, and what ends it is a function that was compiled for its
/// type.
@usableFromInline
@safe final class BoxedValue {
    /// Room for a small value.
    private var room: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
    /// Points to the value as an optional of its type.
    @usableFromInline let pointer: UnsafeMutableRawPointer
    /// Whether the value lies elsewhere.
    private let isAllocated: Bool
    private var end: ((UnsafeMutableRawPointer) -> Void)?

    /// Keeps a value.
    @inlinable
    static func holding<Value>(_ value: Value) -> BoxedValue {
        let optional: Value? = value
        let box = BoxedValue(size: MemoryLayout<Value?>.size, alignment: MemoryLayout<Value?>.alignment)
        unsafe box.pointer.initializeMemory(as: Value?.self, to: optional)
        if !_isPOD(Value?.self) {
            unsafe box.endsWith { unsafe $0.assumingMemoryBound(to: Value?.self).deinitialize(count: 1) }
        }
        return box
    }

    /// Keeps copies of values whose type is `type`, of those that there are.
    static func copies(of values: ChangeValues, _ type: Any.Type) -> (old: BoxedValue?, new: BoxedValue?) {
        func open<Value>(_ type: Value.Type) -> (old: BoxedValue?, new: BoxedValue?) {
            (values.old(as: type).map { holding($0) }, values.new(as: type).map { holding($0) })
        }
        return _openExistential(type, do: open)
    }

    /// The value, which is of this type.
    func value<Value>(as _: Value.Type) -> Value? { unsafe pointer.assumingMemoryBound(to: Value?.self).pointee }

    /// Keeps another value of the same type in its place.
    @inlinable
    func replace<Value>(with value: Value) { unsafe pointer.assumingMemoryBound(to: Value?.self).pointee = value }

    /// Makes room for a value, which is initialized next.
    @usableFromInline
    init(size: Int, alignment: Int) {
        isAllocated =
            size > MemoryLayout<(UInt, UInt, UInt, UInt)>.size || alignment > MemoryLayout<UInt>.alignment
        // A stored property of an object stays where it is as long as the object lives.
        unsafe pointer =
            isAllocated
            ? .allocate(byteCount: size, alignment: alignment)
            : withUnsafeMutablePointer(to: &room) { UnsafeMutableRawPointer($0) }
    }

    /// Notes what ends the value.
    @usableFromInline
    func endsWith(_ end: @escaping (UnsafeMutableRawPointer) -> Void) { unsafe self.end = end }

    deinit {
        unsafe end?(pointer)
        if isAllocated { unsafe pointer.deallocate() }
    }
}
