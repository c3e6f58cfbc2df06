// References that are not counted.

/// A reference to an object that somebody else holds for as long as this is used.
///
/// Counting references is most of what a delivery would cost. So what a frame of the stack, the observed object or a
/// list holds is lent to the frames above without being counted.
@frozen @usableFromInline
@safe struct Unretained<Object: AnyObject> {
    #if KEY_VALUE_OBSERVING_PLAIN
    /// Here it is counted.
    @usableFromInline let object: Object

    @usableFromInline
    init(_ object: Object) {
        self.object = object
    }

    /// Uses the object.
    @usableFromInline
    func with<Result>(_ body: (Object) -> Result) -> Result { body(object) }
    #else
    @usableFromInline let reference: Unmanaged<Object>

    @inlinable @inline(__always)
    init(_ object: Object) {
        unsafe reference = .passUnretained(object)
    }

    /// The object, in a reference that is counted.
    @inlinable var object: Object {
        @inline(__always) get { unsafe reference.takeUnretainedValue() }
    }

    /// Uses the object.
    @inlinable @inline(__always)
    func with<Result>(_ body: (Object) -> Result) -> Result { unsafe reference._withUnsafeGuaranteedRef(body) }
    #endif

    /// The object at an address, where a word of memory holds it; nil if that is 0.
    @inlinable @inline(__always)
    init?(at address: UInt) {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        unsafe self.init(lent: .fromOpaque(pointer))
    }

    /// What was lent without being counted.
    @inlinable @inline(__always)
    @unsafe init(lent reference: Unmanaged<Object>) {
        #if KEY_VALUE_OBSERVING_PLAIN
        object = unsafe reference.takeUnretainedValue()
        #else
        unsafe self.reference = reference
        #endif
    }

    /// The same for what gives back or releases it.
    @inline(__always)
    @unsafe var unmanaged: Unmanaged<Object> { unsafe with { unsafe .passUnretained($0) } }

    /// Whether both lead to one object.
    @inline(__always)
    static func == (left: Unretained, right: Unretained) -> Bool { left.with { left in right.with { left === $0 } } }
}
