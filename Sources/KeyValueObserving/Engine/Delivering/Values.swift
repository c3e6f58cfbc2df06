// The values of a change, without their type.

/// The time of a call: at the registration, before a change, or after it.
@usableFromInline
enum ChangePhase { case initial, prior, change }

/// Points to the value before a change, to the one after it and to the whole value after it, each as an optional of the
/// value's type.
///
/// For a change of some elements, the first two are the removed and the inserted elements. A missing value has no
/// pointer.
///
/// The frame that creates this keeps the values in their places, and all use ends before the frame does. The readers of
/// a value know its type, because call sites' notifiers and watches are created with the type of their key path.
@frozen @usableFromInline
@safe struct ChangeValues {
    @usableFromInline let oldPointer: UnsafeRawPointer?
    @usableFromInline let newPointer: UnsafeRawPointer?
    /// The whole value, if elements change; otherwise the new value is the whole one.
    @usableFromInline let wholePointer: UnsafeRawPointer?

    @inlinable @inline(__always)
    @unsafe init(old: UnsafeRawPointer?, new: UnsafeRawPointer?, whole: UnsafeRawPointer? = nil) {
        unsafe oldPointer = old
        unsafe newPointer = new
        unsafe wholePointer = whole
    }

    /// No values.
    nonisolated(unsafe) static let none = unsafe ChangeValues(old: nil as UnsafeRawPointer?, new: nil)

    /// Refers to values in boxes, which the caller holds.
    @inline(__always)
    init(old: BoxedValue?, new: BoxedValue? = nil, whole: BoxedValue? = nil) {
        unsafe oldPointer = unsafe old?.filled
        unsafe newPointer = unsafe new?.filled
        unsafe wholePointer = unsafe whole?.filled
    }

    /// Calls `body` with pointers to values.
    @inlinable @inline(__always)
    static func with<Value, Result>(
        old: Value?, new: Value?, _ body: (ChangeValues) -> Result
    ) -> Result {
        var (old, new) = (old, new)
        let (hasOld, hasNew) = (old != nil, new != nil)
        return unsafe _withUnprotectedUnsafeMutablePointer(to: &old) { old in
            unsafe _withUnprotectedUnsafeMutablePointer(to: &new) { new in
                unsafe body(
                    ChangeValues(
                        old: hasOld ? UnsafeRawPointer(old) : nil, new: hasNew ? UnsafeRawPointer(new) : nil))
            }
        }
    }

    /// Values with the whole value after a change of elements.
    @inlinable @inline(__always)
    static func with<Value, Result>(
        old: Value?, new: Value?, whole: Value?, _ body: (ChangeValues) -> Result
    ) -> Result {
        var whole = whole
        let hasWhole = whole != nil
        return unsafe _withUnprotectedUnsafeMutablePointer(to: &whole) { whole in
            with(old: old, new: new) {
                unsafe body(
                    ChangeValues(
                        old: $0.oldPointer, new: $0.newPointer, whole: hasWhole ? UnsafeRawPointer(whole) : nil))
            }
        }
    }

    /// The value before the change, if there is one.
    @inlinable @inline(__always)
    func old<Value>(as _: Value.Type) -> Value? { unsafe Self.value(at: oldPointer) }

    /// The value after the change, if there is one.
    @inlinable @inline(__always)
    func new<Value>(as _: Value.Type) -> Value? { unsafe Self.value(at: newPointer) }

    /// The whole value after a change of elements, if there is one.
    @inlinable @inline(__always)
    func whole<Value>(as _: Value.Type) -> Value? { unsafe Self.value(at: wholePointer) }

    @inlinable @inline(__always)
    @unsafe static func value<Value>(at pointer: UnsafeRawPointer?) -> Value? {
        unsafe pointer.flatMap { unsafe $0.assumingMemoryBound(to: Value?.self).pointee }
    }

    /// A copy with another value before the change.
    func with(old: BoxedValue?) -> ChangeValues {
        unsafe ChangeValues(old: old?.filled, new: newPointer, whole: wholePointer)
    }

    /// A copy without the whole value.
    var withoutWhole: ChangeValues { unsafe ChangeValues(old: oldPointer, new: newPointer) }
}

/// A box for a value of a type that only its creator and its reader know.
///
/// A generic class would be compiled once for all types, and need their metadata at each step. This one is filled where
/// the type is known: a small value is in the object, and a function compiled for its type destroys it. A watch fills
/// the same box again and again.
@usableFromInline
@safe package final class BoxedValue {
    // One thread at a time uses it, and no access lasts while code of users runs.
    /// Room for a small value.
    @safe @exclusivity(unchecked) private var room: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
    /// Points to the value as an optional of its type.
    @usableFromInline let pointer: UnsafeMutableRawPointer
    /// Whether the value is outside the object, in memory of its own.
    private let isAllocated: Bool
    @safe @exclusivity(unchecked) @usableFromInline var content = Content.empty
    /// Destroys the value; nil if there is nothing to do.
    @safe @exclusivity(unchecked) @usableFromInline var end: ((UnsafeMutableRawPointer) -> Void)?
    /// The object, if the value is one that the box holds weakly.
    @safe @exclusivity(unchecked) private var reference: RootReference<AnyObject>?

    @usableFromInline
    enum Content: UInt8 {
        case empty
        case filled
        /// Filled, but a later change was not delivered to the registration that keeps the value as its last one.
        case outdated
        /// The value is an object that the box holds weakly.
        case weak
    }

    /// Returns a box with a value; an empty box that kept a value of the same type is reused.
    @inlinable
    static func holding<Value>(_ value: Value, in spare: BoxedValue? = nil) -> BoxedValue {
        if let spare {
            spare.fill(with: value)
            return spare
        }
        let optional: Value? = value
        let box = BoxedValue(size: MemoryLayout<Value?>.size, alignment: MemoryLayout<Value?>.alignment)
        unsafe box.pointer.initializeMemory(as: Value?.self, to: optional)
        box.content = .filled
        if !_isPOD(Value.self) {
            box.end = { unsafe $0.bindMemory(to: Value.self, capacity: 1).deinitialize(count: 1) }
        }
        return box
    }

    // An optional begins with the value that it wraps. The bits that mark it as non-nil are within the value, or behind
    // it, where they stay even while the box is empty. A box that was filled once can therefore take values without
    // their optional, whose metadata would have to be looked up in unspecialized code.

    /// Fills an empty box that kept a value of the same type before.
    @inlinable
    func fill<Value>(with value: Value) {
        unsafe pointer.bindMemory(to: Value.self, capacity: 1).initialize(to: value)
        content = .filled
    }

    /// Replaces the value by another one of the same type.
    @inlinable @inline(__always)
    func overwrite<Value>(with value: Value) { unsafe pointer.bindMemory(to: Value.self, capacity: 1).pointee = value }

    /// Points to the value, if there is one.
    @inline(__always)
    @unsafe var filled: UnsafeRawPointer? { content == .empty ? nil : unsafe UnsafeRawPointer(pointer) }

    /// The value, which is of this type.
    @inlinable
    func value<Value>(as _: Value.Type) -> Value? { unsafe pointer.assumingMemoryBound(to: Value?.self).pointee }

    /// The value, retained by the result.
    @inlinable
    func lastingValue<Value>(as type: Value.Type) -> Value? {
        whileStrong { content == .empty ? nil : value(as: type) }
    }

    /// Calls `body` while the box keeps the value alive.
    @inlinable
    func whileStrong<Result>(_ body: () -> Result) -> Result {
        guard content == .weak else { return body() }
        strengthen()
        defer { weaken() }
        return body()
    }

    /// Keeps another value of the same type, and returns the previous one.
    @inlinable
    func exchange<Value>(for new: Value) -> Value? {
        var value: Value? = new
        if _fastPath(content == .filled) {
            unsafe swap(&pointer.assumingMemoryBound(to: Value?.self).pointee, &value)
            return value
        }
        let last = lastingValue(as: Value.self)
        replace(with: new)
        return last
    }

    /// Replaces the value by another one of the same type.
    @inlinable
    func replace<Value>(with value: Value) {
        if content == .weak { strengthen() }
        if content == .empty {
            fill(with: value)
        } else {
            overwrite(with: value)
            content = .filled
        }
    }

    /// Keeps a copy of the value at a place, without an intermediate copy; traps if the value is being changed.
    @inline(never)
    func replace<Value>(withValueAt place: StoragePlace<Value>) {
        place.checkRead()
        let kept = unsafe pointer.bindMemory(to: Value.self, capacity: 1)
        if content == .empty {
            unsafe kept.initialize(to: place.pointer.pointee)
            content = .filled
        } else {
            unsafe kept.pointee = place.pointer.pointee
        }
    }

    /// Records that a change was not delivered to the registration that keeps the value.
    func becomeOutdated() { if content == .filled { content = .outdated } }

    /// Applies a change of some elements to the value, if it was made to an equal value.
    ///
    /// - Returns: Whether the value is now `whole`; if not, it is unspecified.
    func make<Value>(_ change: KeyValueObservedChange<Value>, leadingTo whole: Value) -> Bool {
        guard content == .filled else { return false }
        return unsafe pointer.assumingMemoryBound(to: Value?.self).pointee.changeInPlace {
            change.make(in: &$0, leadingTo: whole)
        }
    }

    /// Makes room for a value, which is initialized next.
    @usableFromInline
    init(size: Int, alignment: Int) {
        isAllocated =
            size > MemoryLayout<(UInt, UInt, UInt, UInt)>.size || alignment > MemoryLayout<UInt>.alignment
        // A stored property of an object does not move as long as the object lives.
        unsafe pointer =
            isAllocated
            ? .allocate(byteCount: size, alignment: alignment)
            : withUnsafeMutablePointer(to: &room) { UnsafeMutableRawPointer($0) }
    }

    /// Releases the value; the box can be filled again.
    @usableFromInline
    func clear() {
        if content != .empty { unsafe end?(pointer) }
        content = .empty
        if reference != nil { reference = nil }
    }

    deinit {
        clear()
        if isAllocated { unsafe pointer.deallocate() }
    }

    // MARK: Instances of classes

    /// Makes the reference weak, for a value that is an object or an optional one.
    @usableFromInline
    func weaken() {
        // All of these are one word, which is 0 for nil.
        guard content == .filled, let object = unsafe pointer.assumingMemoryBound(to: AnyObject?.self).pointee else {
            return
        }
        reference = RootReference(object)
        content = .weak
        unsafe pointer.assumingMemoryBound(to: AnyObject?.self).pointee = nil
    }

    /// Makes the reference strong again, if the object lives; otherwise the box becomes empty.
    @usableFromInline
    func strengthen() {
        unsafe pointer.assumingMemoryBound(to: AnyObject?.self).pointee = reference?.object
        reference = nil
        content = .filled
    }
}

/// The edit and the values of a change, kept for later.
struct KeptValues {
    /// The change of some elements; nil if the whole value is set.
    var edit: Edit?
    var old: BoxedValue?
    var new: BoxedValue?
    var whole: BoxedValue?

    init(_ edit: Edit? = nil, old: BoxedValue? = nil, new: BoxedValue? = nil, whole: BoxedValue? = nil) {
        self.edit = edit
        self.old = old
        self.new = new
        self.whole = whole
    }

    /// Copies the existing values, whose type is `type`.
    init(_ edit: Edit?, _ values: ChangeValues, _ type: Any.Type) {
        func open<Value>(_ type: Value.Type) -> KeptValues {
            KeptValues(
                edit, old: values.old(as: type).map { .holding($0) },
                new: values.new(as: type).map { .holding($0) },
                whole: values.whole(as: type).map { .holding($0) })
        }
        self = _openExistential(type, do: open)
    }

    /// All values, as long as this is held.
    var all: ChangeValues { ChangeValues(old: old, new: new, whole: whole) }

    /// The change, with all its values, as one of a value by itself.
    func change<Value>(of type: Value.Type) -> KeyValueObservedChange<Value> {
        KeyValueObservedChange(
            kind: edit?.kind ?? .setting, oldValue: old?.value(as: type), newValue: new?.value(as: type), edit: edit,
            isPrior: false, origin: ChangeKeyPath(keyPath: \Value.self))
    }

    /// A copy with the values of a path that ends at the property.
    func wrapped(by leaf: PathLeaf, _ type: Any.Type) -> KeptValues {
        var wrapped = KeptValues(edit)
        ValueWrapping.with(leaf.wrapping, all) { wrapped = KeptValues(edit, $0, type) }
        return wrapped
    }
}

extension BoxedValue {
    /// A copy of the value before some changes of elements that led to it.
    ///
    /// - Returns: The copy, and whether all changes are undone; after a silent set, the copy is the value that was set.
    func undoing(_ steps: ArraySlice<KeptValues>, _ type: Any.Type) -> (value: BoxedValue, isComplete: Bool)? {
        func undo<Value>(_ type: Value.Type) -> (BoxedValue, Bool)? {
            guard var value = value(as: type) else { return nil }
            for step in steps.reversed() {
                guard let inverse = step.change(of: type).inverse, inverse.make(in: &value) else {
                    return (.holding(value), false)
                }
            }
            return (.holding(value), true)
        }
        return _openExistential(type, do: undo)
    }
}

/// Whether registrations keep their last value.
@usableFromInline
enum Keeping: UInt8 {
    case nothing
    case value
    /// They keep the last value, an object, weakly.
    case object

    /// How values of a type are kept; objects and optional objects are held weakly.
    init(_ type: Any.Type) {
        let isObject = ((type as? any OptionalValue.Type)?.wrappedType ?? type) is AnyClass
        self = isObject ? .object : .value
    }
}
