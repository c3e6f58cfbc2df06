// Who is notified of a change of one property by way of one path.

/// The registrations at one path that leads through a property.
final class PathRecipients: @unchecked Sendable {
    let path: ObservedPath
    /// Nil if the path has ended.
    let core: PathCore?
    /// Makes the path's value of the property's, if the path ends there.
    let leaf: PathLeaf?
    let registrations: RegistrationList
    /// Whether the path's value is to be read before a change.
    let needsOld: Bool
    /// Whether the path is blocked on the thread of the change, which then neither reads the path nor calls them.
    let isBlocked: Bool
    /// The number of what the path's observers had been notified of when these were found; nil if that is known to
    /// be now.
    let version: Int?

    init(
        _ path: ObservedPath, _ core: PathCore?, leaf: PathLeaf?, _ registrations: RegistrationList,
        isBlocked: Bool = false, version: Int? = nil
    ) {
        self.path = path
        self.core = core
        self.leaf = leaf
        self.registrations = registrations
        self.version = version
        self.isBlocked = isBlocked
        needsOld = !isBlocked && registrations.needs.contains(.old)
    }
}
