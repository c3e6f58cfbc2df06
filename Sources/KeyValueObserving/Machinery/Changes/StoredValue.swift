// Reading and changing what an observed property stores, without its key path.
public import CKeyValueObserving

/// What an observed property of an object stores, and the object, which it holds.
@usableFromInline
@safe struct StoredValue<Value> {
    @usableFromInline let owner: AnyObject
    /// Points into the object.
    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    /// What a property stores whose identity is how far its storage lies from the start of the object.
    @inlinable
    init(of property: PropertyIdentity, in owner: AnyObject) {
        self.owner = owner
        let start = unsafe UnsafeMutableRawPointer(Unmanaged.passUnretained(owner).toOpaque())
        unsafe pointer = (start + Int(bitPattern: property.rawValue)).assumingMemoryBound(to: Value.self)
    }

    /// Looks at the value; traps if it is being changed.
    @inlinable @inline(__always)
    func read<Result>(_ body: (Value) -> Result) -> Result {
        unsafe kvo_check_read(pointer)
        defer { _fixLifetime(owner) }
        return unsafe body(pointer.pointee)
    }

    /// The value.
    var value: Value { read { $0 } }

    /// Changes the value; traps if it is being accessed already.
    @inlinable @inline(__always)
    func change(_ body: (inout Value) -> Void) {
        var access = AccessInPlace()
        unsafe access.begin(at: pointer)
        unsafe body(&pointer.pointee)
        access.end()
        _fixLifetime(owner)
    }
}
