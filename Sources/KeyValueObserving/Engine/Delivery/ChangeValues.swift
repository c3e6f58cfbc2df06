// The values before and after a change, for code that does not know their type.

/// Points to the value before a change and to the one after it, each as an optional of the value's type.
///
/// Of a change of some elements these are the elements that leave and those that come. Either may be missing.
///
/// The frame that makes this keeps the values in their places, and all use of it ends before that frame does. Whoever
/// reads a value knows its type: the notifiers of a call site and the paths are made with the type of their key path.
@frozen @usableFromInline
@safe struct ChangeValues {
    @usableFromInline let oldPointer: UnsafeRawPointer?
    @usableFromInline let newPointer: UnsafeRawPointer?

    @inlinable @inline(__always)
    @unsafe init(old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
        unsafe oldPointer = old
        unsafe newPointer = new
    }

    /// No values.
    static var none: ChangeValues { ChangeValues(old: nil) }

    /// Values that others hold.
    init(old: BoxedValue?, new: BoxedValue? = nil) {
        unsafe oldPointer = old.map { unsafe UnsafeRawPointer($0.pointer) }
        unsafe newPointer = new.map { unsafe UnsafeRawPointer($0.pointer) }
    }

    /// Calls `body` with pointers to two values.
    @inlinable @inline(__always)
    static func with<Value, Result>(
        old: Value?, new: Value?, _ body: (ChangeValues) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: old) { old in
            unsafe withUnsafePointer(to: new) { new in
                unsafe body(ChangeValues(old: UnsafeRawPointer(old), new: UnsafeRawPointer(new)))
            }
        }
    }

    /// Calls `body` with a pointer to a value before a change.
    @inlinable @inline(__always)
    static func with<Value, Result>(old: Value?, _ body: (ChangeValues) -> Result) -> Result {
        unsafe withUnsafePointer(to: old) { unsafe body(ChangeValues(old: UnsafeRawPointer($0), new: nil)) }
    }

    /// The value before the change, if there is one.
    @inlinable @inline(__always)
    func old<Value>(as _: Value.Type) -> Value? {
        unsafe oldPointer.flatMap { unsafe $0.assumingMemoryBound(to: Value?.self).pointee }
    }

    /// The value after the change, if there is one.
    @inlinable @inline(__always)
    func new<Value>(as _: Value.Type) -> Value? {
        unsafe newPointer.flatMap { unsafe $0.assumingMemoryBound(to: Value?.self).pointee }
    }

    /// The same without the value after the change.
    var withoutNew: ChangeValues { unsafe ChangeValues(old: oldPointer, new: nil) }

    /// The same with another value before the change.
    func with(old: BoxedValue?) -> ChangeValues {
        unsafe ChangeValues(old: old.map { unsafe UnsafeRawPointer($0.pointer) }, new: newPointer)
    }

    /// The same with another value after the change.
    func with(new: BoxedValue) -> ChangeValues {
        unsafe ChangeValues(old: oldPointer, new: UnsafeRawPointer(new.pointer))
    }

    /// The values that were asked for.
    @inline(__always)
    func limited(to needs: KeyValueObservingOptions) -> ChangeValues {
        unsafe ChangeValues(
            old: needs.contains(.old) ? oldPointer : nil, new: needs.contains(.new) ? newPointer : nil)
    }
}
