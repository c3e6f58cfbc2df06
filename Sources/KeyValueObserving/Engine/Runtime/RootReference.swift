// The object that a path starts at or that a table belongs to, which is not kept alive.
import CKeyValueObserving

#if KEY_VALUE_OBSERVING_PLAIN || canImport(ObjectiveC)
/// Refers to an object without keeping it alive, and returns it as long as its `deinit` has not begun.
struct RootReference<Object: AnyObject>: ~Copyable {
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }

    /// Whether it refers to an object, whose `deinit` may have begun.
    func refers(to other: Object) -> Bool { object.map { $0 === other } ?? true }
}
#else
/// Refers to an object without keeping it alive, and returns it as long as its `deinit` has not begun.
///
/// A weak reference would do the same, but it gives the object a side table, which makes counting references to the
/// object slow from then on. This one counts as an unowned reference, so the object's memory stays as long as the
/// reference does, and the runtime can be asked at any time whether the object still lives.
@safe struct RootReference<Object: AnyObject>: ~Copyable {
    private let address: UnsafeMutableRawPointer

    init(_ object: Object) {
        unsafe address = Unmanaged.passUnretained(object).toOpaque()
        unsafe swift_unownedRetain(address)
    }

    deinit {
        unsafe swift_unownedRelease(address)
    }

    var object: Object? {
        guard let object = unsafe swift_tryRetain(address) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(object).takeRetainedValue()
    }

    /// Whether it refers to an object, whose `deinit` may have begun.
    func refers(to other: Object) -> Bool { unsafe address == Unmanaged.passUnretained(other).toOpaque() }
}
#endif
