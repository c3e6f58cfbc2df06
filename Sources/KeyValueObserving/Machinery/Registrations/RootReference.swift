// The object that a path starts at, which the path does not keep alive.
import CKeyValueObserving

/// Refers to an object without keeping it alive, and gives it as long as it lives.
///
/// A weak reference would do the same, but gives the object a side table, which makes counting references to it slow
/// from then on. This one counts as an unowned reference, so the object's memory stays as long as the reference does,
/// and the runtime can be asked at any time whether the object still lives. Like a weak reference it gives nothing from
/// the start of the object's `deinit` on.
@safe struct RootReference<Object: AnyObject> {
    #if canImport(ObjectiveC)
    // An object of Objective-C has no such count.
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }

    /// Whether the object is a certain one, which the caller holds, and its `deinit` has not begun.
    func isLiving(_ other: Unmanaged<AnyObject>) -> Bool {
        unsafe object.map { unsafe Unmanaged<AnyObject>.passUnretained($0).toOpaque() } == other.toOpaque()
    }
    #else
    /// Keeps the memory.
    private unowned let memory: Object
    private let address: UnsafeMutableRawPointer

    init(_ object: Object) {
        memory = object
        unsafe address = Unmanaged.passUnretained(object).toOpaque()
    }

    /// The object, if it lives.
    var object: Object? {
        guard let object = unsafe swift_tryRetain(address) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(object).takeRetainedValue()
    }

    /// Whether the object is a certain one, which the caller holds, and its `deinit` has not begun.
    func isLiving(_ other: Unmanaged<AnyObject>) -> Bool {
        unsafe other.toOpaque() == address && !swift_isDeallocating(address)
    }
    #endif
}
