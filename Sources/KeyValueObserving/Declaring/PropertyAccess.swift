// What is reported of properties to another system of observation.

/// What happens to a property, as it is reported to another system of observation.
///
/// See ``KeyValueObservable/reportsPropertyAccesses``.
public enum PropertyAccess: Sendable {
    /// It is about to be read.
    case read
    /// It is about to change.
    case willChange
    /// It has changed, and the observers were called.
    case didChange
}

extension KeyValueObservable {
    /// Nothing is reported.
    @inlinable
    public static var reportsPropertyAccesses: Bool { false }

    /// Does nothing.
    @inlinable
    public static func reportPropertyAccess<Stored>(
        _ access: PropertyAccess, of object: AnyObject, at keyPath: AnyKeyPath, _ type: Stored.Type
    ) {}
}
