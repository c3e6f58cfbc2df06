// The old and new values of paths, whose types the pipeline does not know.

/// A value whose type its reader knows.
@safe class AnyValue {
    /// Points to the value as an optional of its type.
    let pointer: UnsafeRawPointer

    fileprivate init(pointer: UnsafeRawPointer) {
        unsafe self.pointer = pointer
    }
}

/// Owns the memory of a value.
final class TypedValue<Value>: AnyValue {
    convenience init(_ value: Value) {
        self.init(optional: value)
    }

    /// Owns the memory of a value that may not have been read.
    init(optional value: Value?) {
        let memory = UnsafeMutablePointer<Value?>.allocate(capacity: 1)
        unsafe memory.initialize(to: value)
        unsafe super.init(pointer: UnsafeRawPointer(memory))
    }

    deinit {
        // Allocated and initialized above, and never handed out for writing.
        let memory = unsafe UnsafeMutablePointer(mutating: pointer.assumingMemoryBound(to: Value?.self))
        unsafe memory.deinitialize(count: 1)
        unsafe memory.deallocate()
    }
}
