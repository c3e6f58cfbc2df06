// Where registrations are kept.

/// What keeps registrations: the record of a property, or a path that is evaluated.
package protocol RegistrationKeeper: AnyObject, Sendable {
    /// Ends a registration and releases its handler.
    ///
    /// When it returns, on whichever of the threads that call it at once, the registration has ended.
    func remove(_ number: RegistrationNumber)

    /// Notes that there are changes that are not to be delivered to a registration.
    ///
    /// - Returns: Its number, or those of all that it stands for; empty if it has ended.
    func becomeIgnorable(_ number: RegistrationNumber) -> [RegistrationNumber]

    /// The key path that it is observed at; nil once it has ended.
    var keyPath: AnyKeyPath? { get }

    /// Whether the object that was observed is gone.
    var hasEnded: Bool { get }
}
