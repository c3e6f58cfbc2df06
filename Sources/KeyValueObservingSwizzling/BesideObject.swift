// What a notifying subclass has beside an object, where others have stored properties.
package import KeyValueObserving
import Synchronization

/// What lies beside an object, and ends with it.
package struct BesideObject: ~Copyable, Sendable {
    package let registrar = KeyValueRegistrar()
    /// The address of the companion, retained, or 0.
    ///
    /// Once set it stays.
    private let companion = Atomic<UInt>(0)

    deinit {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: companion.load(ordering: .acquiring)) else { return }
        unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }

    /// An object that keeps what the subclass needs, made now if this is the first use.
    ///
    /// Two threads may make one at the same time. Then both get the same one, and the other is released.
    ///
    /// - Parameter make: Makes it, always of the same class.
    /// - Returns: The companion.
    func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        var word = companion.load(ordering: .acquiring)
        if word == 0 {
            let new = unsafe Unmanaged.passRetained(make())
            let made = unsafe UInt(bitPattern: new.toOpaque())
            let (isFirst, found) = companion.compareExchange(
                expected: 0, desired: made, ordering: .acquiringAndReleasing)
            if !isFirst { unsafe new.release() }
            word = isFirst ? made : found
        }
        let pointer = unsafe UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped
        return unsafe Unmanaged<Companion>.fromOpaque(pointer).takeUnretainedValue()
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
