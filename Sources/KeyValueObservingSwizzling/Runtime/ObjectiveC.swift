// ObjectClass.swift and BesideStore.swift by functions of the Objective-C runtime. It was never built.
#if canImport(ObjectiveC)
import KeyValueObserving
import ObjectiveC

enum ObjectClass {
    /// True, because the Objective-C runtime has functions for everything needed.
    static let isKnown = true

    private static let changing = Guarded(())

    static func superclass(of type: AnyClass) -> AnyClass? { class_getSuperclass(type) }

    static func instanceSize(of type: AnyClass) -> Int { class_getInstanceSize(type) }

    static func of(_ object: AnyObject) -> AnyClass { object_getClass(object) ?? type(of: object) }

    static func replace(_ expected: AnyClass, of object: AnyObject, by replacement: AnyClass) -> Bool {
        changing.withLock { _ in
            guard of(object) == expected else { return false }
            object_setClass(object, replacement)
            return true
        }
    }

    /// Not needed: associated objects end with their object.
    static func noteEnds(of type: AnyClass) {}

    /// False, because the Objective-C runtime does not say.
    static func isEnding(_ object: AnyObject) -> Bool { false }
}

enum BesideStore {
    typealias Entry = UnsafeMutablePointer<BesideObject>

    private static let making = Guarded(())
    // The address is the key; nothing is read or written there.
    nonisolated(unsafe) private static let key = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

    static func beside(_ object: AnyObject) -> Entry? {
        if let holder = holder(of: object) { return unsafe holder.entry }
        return unsafe making.withLock { _ in
            let holder = holder(of: object) ?? BesideHolder()
            unsafe objc_setAssociatedObject(object, key, holder, .OBJC_ASSOCIATION_RETAIN)
            return unsafe holder.entry
        }
    }

    private static func holder(of object: AnyObject) -> BesideHolder? {
        unsafe objc_getAssociatedObject(object, key) as? BesideHolder
    }
}

private final class BesideHolder {
    let entry = BesideStore.Entry.allocate(capacity: 1)

    init() {
        unsafe entry.initialize(to: BesideObject())
    }

    deinit {
        unsafe entry.deinitialize(count: 1)
        unsafe entry.deallocate()
    }
}
#endif
