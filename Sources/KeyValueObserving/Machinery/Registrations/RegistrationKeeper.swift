// Where registrations are kept.

/// What keeps registrations: the record of a property, or a path that is evaluated.
@usableFromInline
class RegistrationKeeper: @unchecked Sendable {
    /// Ends a registration and releases its handler; nothing happens if it has ended.
    ///
    /// - Parameters:
    ///   - id: Its number.
    ///   - table: The table of the object that is observed.
    func remove(_ id: RegistrationID, from table: ObservationTable) { preconditionFailure("a subclass removes") }
}
