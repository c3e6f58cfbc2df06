// A value that is kept for observers by code that does not know its type.

/// A value, or none, of a type that only its maker and its reader know.
///
/// A generic class would be compiled once for all types, and ask for their metadata at each step. This one is filled
/// where the type is known: a small value lies in the object, and what ends it is a function that was compiled for its
/// type. A watch fills the same one again and again.
@usableFromInline
@safe package final class BoxedValue {
    // One thread at a time uses it, and no access lasts while code of others runs.
    /// Room for a small value.
    @safe @exclusivity(unchecked) private var room: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
    /// Points to the value as an optional of its type.
    @usableFromInline let pointer: UnsafeMutableRawPointer
    /// Whether the value lies elsewhere.
    private let isAllocated: Bool
    /// Whether there is something to be ended.
    @safe @exclusivity(unchecked) @usableFromInline var isFilled = false
    /// Ends the value; nil if there is nothing to do.
    @safe @exclusivity(unchecked) @usableFromInline var end: ((UnsafeMutableRawPointer) -> Void)?
    /// Whether a change passed over the registrations that keep the value as their last.
    @safe @exclusivity(unchecked) @usableFromInline var isPassed = false
    /// The object that the value is, while the box does not keep it alive.
    @safe @exclusivity(unchecked) private var reference: RootReference<AnyObject>?
    @safe @exclusivity(unchecked) @usableFromInline private(set) var isWeak = false

    /// Keeps a value, in an empty box that kept one of the same type before, if there is one.
    @inlinable
    static func holding<Value>(_ value: Value, in spare: BoxedValue? = nil) -> BoxedValue {
        let optional: Value? = value
        let box =
            spare ?? BoxedValue(size: MemoryLayout<Value?>.size, alignment: MemoryLayout<Value?>.alignment)
        unsafe box.pointer.initializeMemory(as: Value?.self, to: optional)
        box.isFilled = true
        if spare == nil, !_isPOD(Value?.self) {
            box.end = { unsafe $0.assumingMemoryBound(to: Value?.self).deinitialize(count: 1) }
        }
        return box
    }

    /// Points to the value, if there is one.
    @inline(__always)
    @unsafe var filled: UnsafeRawPointer? { isFilled ? unsafe UnsafeRawPointer(pointer) : nil }

    /// The value, which is of this type.
    @inlinable
    func value<Value>(as _: Value.Type) -> Value? { unsafe pointer.assumingMemoryBound(to: Value?.self).pointee }

    /// The value, kept alive by what is returned.
    @inlinable
    func lastingValue<Value>(as type: Value.Type) -> Value? {
        if !isFilled { return nil }
        guard isWeak else { return value(as: type) }
        strengthen()
        defer { weaken() }
        return value(as: type)
    }

    /// Keeps another value of the same type in its place.
    @inlinable
    func replace<Value>(with value: Value) {
        if isWeak { strengthen() }
        if isFilled {
            unsafe pointer.assumingMemoryBound(to: Value?.self).pointee = value
        } else {
            _ = Self.holding(value, in: self)
        }
        isPassed = false
    }

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

    /// Releases the value; the box can be filled again.
    @usableFromInline
    func clear() {
        if isFilled { unsafe end?(pointer) }
        (isFilled, isPassed) = (false, false)
        if isWeak { dropReference() }
    }

    deinit {
        clear()
        if isAllocated { unsafe pointer.deallocate() }
    }

    // MARK: Instances of classes

    /// Stops keeping the value alive, which is an instance of a class, or such an instance or nil.
    @usableFromInline
    func weaken() {
        // All of these are one word, which is 0 where there is no object.
        guard isFilled, let object = unsafe pointer.assumingMemoryBound(to: AnyObject?.self).pointee else { return }
        reference = RootReference(object)
        isWeak = true
        unsafe pointer.assumingMemoryBound(to: AnyObject?.self).pointee = nil
    }

    /// Keeps the value alive again, if it lives; otherwise there is none.
    @usableFromInline
    func strengthen() {
        unsafe pointer.assumingMemoryBound(to: AnyObject?.self).pointee = reference?.object
        dropReference()
    }

    private func dropReference() {
        reference = nil
        isWeak = false
    }
}

/// The values of a change, kept.
struct BoxedValues {
    var old: BoxedValue?
    var new: BoxedValue?
    var whole: BoxedValue?

    init(old: BoxedValue? = nil, new: BoxedValue? = nil, whole: BoxedValue? = nil) {
        self.old = old
        self.new = new
        self.whole = whole
    }

    /// Copies values whose type is `type`, of those that there are.
    init(of values: ChangeValues, _ type: Any.Type) {
        func open<Value>(_ type: Value.Type) -> BoxedValues {
            BoxedValues(
                old: values.old(as: type).map { .holding($0) }, new: values.new(as: type).map { .holding($0) },
                whole: values.whole(as: type).map { .holding($0) })
        }
        self = _openExistential(type, do: open)
    }
}

/// What becomes of what registrations are told.
@usableFromInline
enum Keeping {
    /// It is the old value of the next change.
    case none
    /// They keep it.
    case value
    /// The same, and it is an object that they do not keep alive.
    case object
}
