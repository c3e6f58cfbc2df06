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

    /// Holds what a key path of an object reads.
    @inlinable @inline(__always)
    static func reading<Object: AnyObject, Value>(_ keyPath: KeyPath<Object, Value>, of object: Object) -> AnyValue {
        let value = object[keyPath: keyPath]
        // Else the object is retained while the getter runs: `dependent` in the benchmarks.
        extendLifetime(object)
        return holding(value)
    }

    /// Holds a value that may not have been read.
    @inlinable
    static func holding<Value>(optional value: Value?) -> AnyValue {
        let isSmall =
            MemoryLayout<Value?>.size <= MemoryLayout<(UInt, UInt, UInt, UInt)>.size
            && MemoryLayout<Value?>.alignment <= MemoryLayout<UInt>.alignment
        let holder =
            isSmall ? room() : AnyValue(size: MemoryLayout<Value?>.size, alignment: MemoryLayout<Value?>.alignment)
        unsafe holder.pointer.initializeMemory(as: Value?.self, to: value)
        if !_isPOD(Value?.self) {
            unsafe holder.endsWith { unsafe $0.assumingMemoryBound(to: Value?.self).deinitialize(count: 1) }
        }
        return holder
    }

    /// Makes room for a small value, which is initialized next.
    @usableFromInline
    static func room() -> AnyValue {
        guard let list = unsafe OpenChanges.unretainedOfThisThread,
            let kept = unsafe list._withUnsafeGuaranteedRef({ $0.takeKeptValue() })
        else { return AnyValue() }
        return kept
    }

    /// Notes what ends the value.
    @usableFromInline
    func endsWith(_ end: @escaping (UnsafeMutableRawPointer) -> Void) { unsafe self.end = end }

    private init() {
        isAllocated = false
        // A stored property of an object stays where it is as long as the object lives.
        unsafe pointer = withUnsafeMutablePointer(to: &room) { UnsafeMutableRawPointer($0) }
    }

    /// Makes room for a value that is not small, which is initialized next.
    @usableFromInline
    init(size: Int, alignment: Int) {
        isAllocated = true
        unsafe pointer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
    }

    /// Ends the value, so that this can hold another one, if nobody else has it and it lies here.
    static func empty(_ holder: inout AnyValue?) -> AnyValue? {
        guard isKnownUniquelyReferenced(&holder), let emptied = holder.take(), !emptied.isAllocated else { return nil }
        // One that ends without a function is kept as it is.
        if let end = unsafe emptied.end.take() { unsafe end(emptied.pointer) }
        return emptied
    }

    deinit {
        unsafe end?(pointer)
        if isAllocated { unsafe pointer.deallocate() }
    }
}
