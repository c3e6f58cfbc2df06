// The values of a change, for code that does not know their type.

/// When handlers are called: at registration, before a change, or after it.
@usableFromInline
enum ChangePhase { case initial, prior, change }

/// Points to the value before a change, to the one after it and to the whole value after it, each as an optional of the
/// value's type.
///
/// Of a change of some elements the first two are the elements that leave and those that come. Any may be missing: then
/// there is no pointer.
///
/// The frame that makes this keeps the values in their places, and all use of it ends before that frame does. Whoever
/// reads a value knows its type: the notifiers of a call site and the watches are made with the type of their key path.
@frozen @usableFromInline
@safe struct ChangeValues {
    @usableFromInline let oldPointer: UnsafeRawPointer?
    @usableFromInline let newPointer: UnsafeRawPointer?
    /// Only where elements change; otherwise it is the new value.
    @usableFromInline let wholePointer: UnsafeRawPointer?

    @inlinable @inline(__always)
    @unsafe init(old: UnsafeRawPointer?, new: UnsafeRawPointer?, whole: UnsafeRawPointer? = nil) {
        unsafe oldPointer = old
        unsafe newPointer = new
        unsafe wholePointer = whole
    }

    /// No values.
    nonisolated(unsafe) static let none = unsafe ChangeValues(old: nil as UnsafeRawPointer?, new: nil)

    /// Values that others hold.
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
    @safe @exclusivity(unchecked) @usableFromInline var content = Content.empty
    /// Ends the value; nil if there is nothing to do.
    @safe @exclusivity(unchecked) @usableFromInline var end: ((UnsafeMutableRawPointer) -> Void)?
    /// The object that the value is, while the box does not keep it alive.
    @safe @exclusivity(unchecked) private var reference: RootReference<AnyObject>?

    @usableFromInline
    enum Content: UInt8 {
        case empty
        case filled
        /// Filled, but a change passed over the registration that keeps the value as its last.
        case outdated
        /// The value is an object that the box does not keep alive.
        case weak
    }

    /// Keeps a value, in an empty box that kept one of the same type before, if there is one.
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

    // What an optional wraps lies at its start. What tells that there is something lies within that, or behind it and stays
    // as it is, also while the box is empty. So a box that has once been filled takes values without their optional, whose
    // metadata would have to be looked up where the type is not known.

    /// Keeps a value, in an empty box that kept one of the same type before.
    @inlinable
    func fill<Value>(with value: Value) {
        unsafe pointer.bindMemory(to: Value.self, capacity: 1).initialize(to: value)
        content = .filled
    }

    /// Keeps a value in place of another one of the same type.
    @inlinable @inline(__always)
    func overwrite<Value>(with value: Value) { unsafe pointer.bindMemory(to: Value.self, capacity: 1).pointee = value }

    /// Points to the value, if there is one.
    @inline(__always)
    @unsafe var filled: UnsafeRawPointer? { content == .empty ? nil : unsafe UnsafeRawPointer(pointer) }

    /// The value, which is of this type.
    @inlinable
    func value<Value>(as _: Value.Type) -> Value? { unsafe pointer.assumingMemoryBound(to: Value?.self).pointee }

    /// The value, kept alive by what is returned.
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

    /// Keeps another value of the same type, and returns the one before.
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

    /// Keeps another value of the same type in its place.
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

    /// Keeps a copy of the value at a place, without another copy on the way; traps if it is being changed.
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

    /// Notes that a change passed over the registration that keeps the value.
    func becomeOutdated() { if content == .filled { content = .outdated } }

    /// Makes a change of some elements in the value, if it was made in an equal one.
    ///
    /// - Returns: Whether the value is `whole` now; if not, it may be anything.
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
        // A stored property of an object stays where it is as long as the object lives.
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

    /// Stops keeping the value alive, which is an instance of a class, or such an instance or nil.
    @usableFromInline
    func weaken() {
        // All of these are one word, which is 0 where there is no object.
        guard content == .filled, let object = unsafe pointer.assumingMemoryBound(to: AnyObject?.self).pointee else {
            return
        }
        reference = RootReference(object)
        content = .weak
        unsafe pointer.assumingMemoryBound(to: AnyObject?.self).pointee = nil
    }

    /// Keeps the value alive again, if it lives; otherwise there is none.
    @usableFromInline
    func strengthen() {
        unsafe pointer.assumingMemoryBound(to: AnyObject?.self).pointee = reference?.object
        reference = nil
        content = .filled
    }
}

/// What a change is, kept for later.
struct KeptValues {
    /// How some elements change; nil if the whole value is set.
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

    /// Copies values whose type is `type`, of those that there are.
    init(_ edit: Edit?, _ values: ChangeValues, _ type: Any.Type) {
        func open<Value>(_ type: Value.Type) -> KeptValues {
            KeptValues(
                edit, old: values.old(as: type).map { .holding($0) },
                new: values.new(as: type).map { .holding($0) },
                whole: values.whole(as: type).map { .holding($0) })
        }
        self = _openExistential(type, do: open)
    }

    /// All of them, for as long as this is held.
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
    /// A copy of the value as it was before changes of elements, which led to it.
    ///
    /// - Returns: The copy, and whether all are undone; where something was set silently in between, it is as after that.
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
    /// It is an object that they do not keep alive.
    case object

    /// How values of a type are kept: instances of classes, and such instances or nil, are not kept alive.
    init(_ type: Any.Type) {
        let isObject = ((type as? any OptionalValue.Type)?.wrappedType ?? type) is AnyClass
        self = isObject ? .object : .value
    }
}
