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
    private var end: ((UnsafeMutableRawPointer) -> Void)?

    /// Holds a value.
    @inlinable
    static func holding<Value>(_ value: Value) -> AnyValue {
        holding(optional: value)
    }

    /// Holds a value that may not have been read.
    @inlinable
    static func holding<Value>(optional value: Value?) -> AnyValue {
        let holder = unsafe room(
            size: MemoryLayout<Value?>.size, alignment: MemoryLayout<Value?>.alignment,
            end: _isPOD(Value?.self)
                ? nil : { unsafe $0.assumingMemoryBound(to: Value?.self).deinitialize(count: 1) })
        unsafe holder.pointer.initializeMemory(as: Value?.self, to: value)
        return holder
    }

    /// Makes room for a value that is initialized next.
    @usableFromInline
    static func room(size: Int, alignment: Int, end: ((UnsafeMutableRawPointer) -> Void)?) -> AnyValue {
        let isSmall =
            size <= MemoryLayout<(UInt, UInt, UInt, UInt)>.size && alignment <= MemoryLayout<UInt>.alignment
        if isSmall, let list = unsafe OpenChanges.unretainedOfThisThread,
            let kept = unsafe list._withUnsafeGuaranteedRef({ $0.takeKeptValue() })
        {
            unsafe kept.end = end
            return kept
        }
        return unsafe AnyValue(size: size, alignment: alignment, isSmall: isSmall, end: end)
    }

    private init(size: Int, alignment: Int, isSmall: Bool, end: ((UnsafeMutableRawPointer) -> Void)?) {
        unsafe self.end = end
        isAllocated = !isSmall
        // A stored property of an object stays where it is as long as the object lives.
        unsafe pointer =
            isSmall
            ? withUnsafeMutablePointer(to: &room) { UnsafeMutableRawPointer($0) }
            : UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
    }

    /// Ends the value, so that this can hold another one, if nobody else has it and it lies here.
    static func empty(_ holder: inout AnyValue?) -> AnyValue? {
        guard isKnownUniquelyReferenced(&holder), let emptied = holder.take(), !emptied.isAllocated else { return nil }
        unsafe emptied.end?(emptied.pointer)
        unsafe emptied.end = nil
        return emptied
    }

    deinit {
        unsafe end?(pointer)
        if isAllocated { unsafe pointer.deallocate() }
    }
}
