// The class of an object and the end of an object: the parts of the Swift runtime that this product relies on.
package import KeyValueObserving

#if !canImport(ObjectiveC)
import CKeyValueObservingSwizzling
import Synchronization

/// Functions of the Swift runtime for classes and objects.
///
/// The first word of an object is its class. Each call of an overridable method starts there. A subclass with the same
/// layout may replace the class. Since a subclass only adds fields at the end, the layouts are the same if the sizes
/// are, and if the object's class is the subclass's direct superclass.
///
/// `CKeyValueObservingSwizzling.h` states what is known of the runtime, and where it is described. ``isKnown`` tries it
/// on an object made for that purpose. There is no alternative without these functions, so this is a product of its
/// own.
enum ObjectClass {
    static func superclass(of type: AnyClass) -> AnyClass? { _getSuperclass(type) }

    /// The size of a class's objects in bytes.
    static func instanceSize(of type: AnyClass) -> Int { kvo_instance_size(word(of: type)) }

    /// The class of an object, which another thread may be replacing.
    static func of(_ object: AnyObject) -> AnyClass {
        unsafe unsafeBitCast(kvo_class(pointer(to: object)), to: AnyClass.self)
    }

    /// Replaces the class of an object, if it is the expected one.
    ///
    /// This is one atomic step. If several threads try at the same time, one succeeds, and the others see its class.
    ///
    /// - Parameters:
    ///   - expected: The object's class.
    ///   - object: The object, which the caller holds.
    ///   - replacement: A direct subclass of the same size.
    /// - Returns: Whether the class was replaced.
    static func replace(_ expected: AnyClass, of object: AnyObject, by replacement: AnyClass) -> Bool {
        unsafe kvo_replace_class(pointer(to: object), word(of: expected), word(of: replacement))
    }

    /// From now on, ends the data beside the objects of a class with the objects.
    ///
    /// Call it once for each class.
    static func noteEnds(of type: AnyClass) {
        unsafe kvo_call_at_end(word(of: type)) { BesideStore.end(at: UInt(bitPattern: $0)) }
    }

    /// Whether the last strong reference to an object has gone.
    static func isEnding(_ object: AnyObject) -> Bool { unsafe swift_isDeallocating(pointer(to: object)) }

    /// Whether this thread is ending an object of a class that was passed to `noteEnds`.
    static func isEndingHere(_ object: AnyObject) -> Bool { unsafe kvo_is_ending_here(pointer(to: object)) }

    /// Keeps the memory of an object that is ending, so that no other object can have its address.
    ///
    /// - Parameter object: The object.
    /// - Returns: Whether the memory is kept. It is not if something else may keep it, since the object may then be on
    ///   the stack.
    static func keepMemory(of object: AnyObject) -> Bool {
        guard unsafe swift_unownedRetainCount(pointer(to: object)) == 1 else { return false }
        unsafe swift_unownedRetain(pointer(to: object))
        return true
    }

    /// Frees the kept memory of an object, if nothing needs it any more.
    ///
    /// - Parameters:
    ///   - address: The address of the object.
    ///   - body: Called before the memory is freed.
    /// - Returns: Whether the memory was freed; if not, the object's `deinit` has not ended, or other references keep
    ///   the memory.
    static func freeMemory(at address: UInt, after body: () -> Void) -> Bool {
        let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
        guard unsafe swift_unownedRetainCount(pointer) == 1 else { return false }
        body()
        unsafe swift_unownedRelease(pointer)
        return true
    }

    /// The address of an object.
    static func address(of object: AnyObject) -> UInt { unsafe UInt(bitPattern: pointer(to: object)) }

    private static func pointer(to object: AnyObject) -> UnsafeMutableRawPointer {
        unsafe Unmanaged.passUnretained(object).toOpaque()
    }

    private static func word(of type: AnyClass) -> UInt { unsafe unsafeBitCast(type, to: UInt.self) }

    // MARK: The check

    /// Whether a sample object changes its class, and its end is noticed.
    static let isKnown = RuntimeAssumption.outcome {
        addressOfReplacedSample().map { $0 == endedSample.load(ordering: .acquiring) } ?? false
    }

    private static let endedSample = Atomic<UInt>(0)

    /// Makes an object, replaces its class, and releases it.
    ///
    /// It is not optimized, so that the object is on the heap and its class is looked up for each call.
    ///
    /// - Returns: The object's former address; nil if something is not as assumed.
    @inline(never)
    @_optimize(none)
    private static func addressOfReplacedSample() -> UInt? {
        let sample = SampleObject()
        let (old, new): (AnyClass, AnyClass) = (SampleObject.self, ReplacingObject.self)
        guard of(sample) == old, superclass(of: new) == old, instanceSize(of: old) == instanceSize(of: new),
            !isEnding(sample), unsafe swift_unownedRetainCount(pointer(to: sample)) == 1
        else { return nil }
        unsafe kvo_call_at_end(word(of: new)) {
            ObjectClass.endedSample.store(UInt(bitPattern: $0), ordering: .releasing)
        }
        guard replace(old, of: sample, by: new), sample.number == 2 else { return nil }
        return address(of: sample)
    }
}

private class SampleObject {
    var number: Int { 1 }
}

private final class ReplacingObject: SampleObject {
    override var number: Int { 2 }
}
#endif

extension RuntimeAssumption {
    /// The assumption of this product.
    package static let objectClasses = RuntimeAssumption(
        """
        The first word of an object is its class, which can be replaced, and the class holds the function that ends the \
        object.
        """,
        otherwise: "makeObservable(_:) throws, and an object of a notifying subclass traps where it notifies."
    ) { ObjectClass.isKnown }
}
