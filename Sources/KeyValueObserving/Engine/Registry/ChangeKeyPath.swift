// The key path that a change carries.

/// The key path that a change carries.
///
/// Changes hold this and not the registration: a handler that keeps changes in what it captures would keep itself. And
/// they do not hold the key path itself: all threads use the same one, and counting references to it would make them
/// wait for one another.
@usableFromInline
class ChangeKeyPath {
    let keyPath: AnyKeyPath

    @usableFromInline
    init(keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// The key path as it was given, if that was a string.
    var text: String? { nil }
    /// Where the registration was made, if this belongs to one.
    var place: String? { nil }

    /// The key path, for people.
    final var name: String { text ?? PropertyNames.text(of: keyPath) }
}
