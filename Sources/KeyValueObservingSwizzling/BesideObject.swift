// What a notifying subclass has beside an object, where others have stored properties.
package import KeyValueObserving
import Synchronization

/// What lies beside an object, and ends with it.
///
/// The companion is used by the threads that use the object, and is as safe as that.
package struct BesideObject: ~Copyable, @unchecked Sendable {
    /// Once set it stays until the object ends; it is released before the registrations are.
    private let companion = AtomicLazyReference<AnyObject>()
    package let registrar = KeyValueRegistrar()

    /// An object that keeps what the subclass needs, made now if this is the first use.
    ///
    /// Two threads may make one at the same time. Then both get the same one, and the other is released.
    ///
    /// - Parameter make: Makes it, always of the same class.
    /// - Returns: The companion.
    func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        let known = companion.load() ?? companion.storeIfNil(make())
        return unsafe unsafeDowncast(known, to: Companion.self)
    }
}

extension NotifyingSubclass {
    /// An object that keeps what this class needs of each object, and ends with the object.
    ///
    /// - Parameter make: Makes it, always of the same class.
    /// - Returns: It; a new one if the object is ending and nothing can end with it.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        unsafe BesideStore.beside(self)?.pointee.companion(make) ?? make()
    }
}
