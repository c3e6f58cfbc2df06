// How a change by hand was announced.

/// What a will by hand said, and its did has to say as well.
final class Announcement {
    enum Subject: Equatable {
        /// The value as a whole.
        case value
        /// Elements of an ordered collection.
        case elements(KeyValueChange, RangeSet<Int>)
        /// Members of a set.
        case members(KeyValueSetMutationKind, AnyHashable)
    }

    let keyPath: AnyKeyPath
    let subject: Subject
    /// The path that is evaluated for the registrations at the key path, if there are any.
    let path: ObservedPath?
    /// The property's own old value, or the old elements, as an optional.
    let old: AnyValue

    init(keyPath: AnyKeyPath, subject: Subject, path: ObservedPath?, old: AnyValue) {
        self.keyPath = keyPath
        self.subject = subject
        self.path = path
        self.old = old
    }
}
