// An observer that is held weakly.

/// An observer, as long as it lives.
@usableFromInline
final class ObserverReference: @unchecked Sendable {
    /// The observer's address, which another object may have when it is gone.
    let id: ObjectIdentifier
    @usableFromInline weak let object: AnyObject?

    @usableFromInline
    init(_ object: AnyObject) {
        id = ObjectIdentifier(object)
        self.object = object
    }
}
