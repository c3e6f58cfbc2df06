// Where on a table a registration belongs.

/// Where a registration is kept.
enum RegistrationPlace {
    /// With one of the object's own observed properties, whose value it is told.
    case property(PropertyIdentity)
    /// With a path that is evaluated.
    case path(ObservedPath)
}
