// The old and new values of paths, whose types the pipeline does not know.

/// A value whose type its reader knows.
///
/// It is made where the type is known, so that neither making it nor ending it needs metadata: a small value lies in
/// the object itself, and what ends it is a function that was compiled for its type.
@usableFromInline
@safe final class AnyValue {
    /// Room for a small value.
    private var room: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
    /// Points to the value as an optional of its type.
    @usableFromInline let pointer: UnsafeMutableRawPointer
    /// Whether the value lies elsewhere.
    private let isAllocated: Bool
    private let end: ((UnsafeMutableRawPointer) -> Void)?

    /// Holds a value.
    @inlinable
    convenience init<Value>(_ value: Value) {
        self.init(optional: value)
    }

    /// Holds a value that may not have been read.
    @inlinable
    convenience init<Value>(optional value: Value?) {
        unsafe self.init(
            size: MemoryLayout<Value?>.size, alignment: MemoryLayout<Value?>.alignment,
            end: _isPOD(Value?.self)
                ? nil : { unsafe $0.assumingMemoryBound(to: Value?.self).deinitialize(count: 1) })
        unsafe pointer.initializeMemory(as: Value?.self, to: value)
    }

    /// Makes room for a value that is initialized next.
    @usableFromInline
    init(size: Int, alignment: Int, end: ((UnsafeMutableRawPointer) -> Void)?) {
        unsafe self.end = end
        let isSmall =
            size <= MemoryLayout<(UInt, UInt, UInt, UInt)>.size && alignment <= MemoryLayout<UInt>.alignment
        isAllocated = !isSmall
        // A stored property of an object stays where it is as long as the object lives.
        unsafe pointer =
            isSmall
            ? withUnsafeMutablePointer(to: &room) { UnsafeMutableRawPointer($0) }
            : UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
    }

    deinit {
        unsafe end?(pointer)
        if isAllocated { unsafe pointer.deallocate() }
    }
}
