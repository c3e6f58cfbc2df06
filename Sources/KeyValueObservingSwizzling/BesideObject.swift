// The data that a notifying subclass keeps beside an object, in place of stored properties.
package import KeyValueObserving
import Synchronization

/// The data kept beside an object, which ends with the object.
///
/// The threads that use the object use the companion, which is as safe as the object.
package struct BesideObject: ~Copyable, @unchecked Sendable {
    /// Once set it stays until the object ends; it is released before the registrations are.
    private let companion = AtomicLazyReference<AnyObject>()
    package let registrar = KeyValueRegistrar()

    /// An object with the data that the subclass needs, created at the first use.
    ///
    /// If two threads create one at the same time, both get the same one, and the other is released.
    ///
    /// - Parameter make: Makes it, always of the same class.
    /// - Returns: The companion.
    func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        let known = companion.load() ?? companion.storeIfNil(make())
        return unsafe unsafeDowncast(known, to: Companion.self)
    }
}

extension NotifyingSubclass {
    /// An object with the data that this class needs for each of its objects, which ends with the object.
    ///
    /// - Parameter make: Makes it, always of the same class.
    /// - Returns: The companion; a new one if the object is ending and nothing can end with it.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        unsafe BesideStore.beside(self)?.pointee.companion(make) ?? make()
    }
}
