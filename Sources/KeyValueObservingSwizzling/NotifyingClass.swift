// A notifying subclass, checked once.
import KeyValueObserving

/// A notifying subclass, with the facts that are determined once for all its objects.
package final class NotifyingClass: Sendable {
    private let subclass: AnyClass
    private let superclass: AnyClass?
    /// Whether its objects are larger than those of the superclass.
    private let hasStorage: Bool
    private let inheritsFromNotifying: Bool

    /// All notifying classes that were ever used, retained for good as classes are.
    private static let known = AddressMap()

    /// The facts about a notifying subclass.
    ///
    /// From the first call on, the ends of the class's objects are noticed.
    package static func of(_ subclass: AnyClass) -> NotifyingClass {
        let found = known.value(at: UInt(bitPattern: ObjectIdentifier(subclass))) {
            unsafe UInt(bitPattern: Unmanaged.passRetained(NotifyingClass(subclass)).toOpaque())
        }
        let pointer = unsafe UnsafeRawPointer(bitPattern: found).unsafelyUnwrapped
        return unsafe Unmanaged<NotifyingClass>.fromOpaque(pointer).takeUnretainedValue()
    }

    private init(_ subclass: AnyClass) {
        self.subclass = subclass
        superclass = ObjectClass.superclass(of: subclass)
        hasStorage =
            superclass.map { ObjectClass.instanceSize(of: $0) < ObjectClass.instanceSize(of: subclass) } ?? false
        inheritsFromNotifying = superclass is any NotifyingSubclass.Type
        RuntimeAssumption.add(.objectClasses)
        if ObjectClass.isKnown { ObjectClass.noteEnds(of: subclass) }
    }

    /// Changes the class of an object from the superclass to the subclass.
    ///
    /// - Returns: The object.
    func adopt(_ object: AnyObject) throws(NotifyingSubclassError) -> AnyObject {
        if !ObjectClass.isKnown {
            throw NotifyingSubclassError(
                code: .unknownRuntime, subclass: subclass, superclass: superclass, objectType: type(of: object))
        }
        while true {
            let current: AnyClass = ObjectClass.of(object)
            if current == subclass { return object }
            if let code = refusal(of: object, current) {
                throw NotifyingSubclassError(
                    code: code, subclass: subclass, superclass: superclass, objectType: current)
            }
            // Another thread may be first, with this class or another one.
            if ObjectClass.replace(current, of: object, by: subclass) { return object }
        }
    }

    private func refusal(of object: AnyObject, _ current: AnyClass) -> NotifyingSubclassError.Code? {
        if hasStorage { return .hasStorage }
        if current != superclass { return current is any NotifyingSubclass.Type ? .otherSubclass : .otherClass }
        if inheritsFromNotifying { return .otherSubclass }
        return ObjectClass.isEnding(object) ? .objectIsEnding : nil
    }
}
