// A change that is announced while nothing is known of its object.

/// A change of an object that nobody observes: all that is noted from its announcement to its end.
///
/// Before anything else becomes known of the object, such as a registration or a path that is led to it, a record of the
/// property is made, which knows the change from then on: see ``ObservationTable/settleAnnouncements()``.
struct Announcement {
    /// What changes.
    let keyPath: AnyKeyPath
    /// The thread that announced it.
    let thread: UInt64
    /// The class that the key path starts at.
    let root: AnyClass
    /// The object's class.
    let type: any KeyValueObservable.Type
    /// Makes the change that the record is to know.
    let change: (PropertyRecord, _ thread: UInt64) -> PendingChange

    /// Whether two are of one thread, and of the very same key path.
    func isSame(as other: Self) -> Bool { thread == other.thread && keyPath === other.keyPath }

    /// What is known of the property.
    var description: PropertyDescription { ClassPolicy.of(type).description(ofManual: keyPath, from: root) }

    /// Says once that an object died before an announced change of it ended.
    static func noteDeath(beforeEndAt keyPath: AnyKeyPath) {
        KeyValueDiagnostics.noteOnce(
            """
            a \(TypeName.text(of: Swift.type(of: keyPath).rootType)) died after willChangeValue(for:) of its \
            \(PropertyNames.text(of: keyPath)), before didChangeValue(for:) was called on the same thread. That change \
            was not delivered. Use changeValue(for:), which calls both.
            """)
    }
}
