// A change that is made in place, between the begin of an access and its end.

/// An access in place to a property of an object that is observed.
@usableFromInline
class ChangeInPlace: PendingChange, @unchecked Sendable {
    private final let object: AnyObject
    /// Who is notified; nil if nobody is of the property itself, or if a change around this one speaks for it.
    private final let recipients: Recipients?
    /// The paths that must not be evaluated until the access ends.
    private final var blocked: ContiguousArray<ObservedPath> = []

    @usableFromInline
    init(_ record: PropertyRecord, of object: AnyObject, for recipients: Recipients?, _ newestNumber: UInt64) {
        self.object = object
        self.recipients = recipients
        super.init(record, newestNumber)
    }

    /// Whether the property's value is to be read before the access.
    @usableFromInline final var needsOld: Bool { recipients?.needsOld ?? false }
    /// Whether the property's value is to be read after the access.
    @usableFromInline final var needsNew: Bool { recipients?.needsNew ?? false }

    /// Prepares the access.
    ///
    /// - Parameter old: Points to the old value as an optional.
    @usableFromInline
    final func begin(old: UnsafeRawPointer) {
        if let recipients {
            include(recipients.paths)
            // A change that came first on this thread would have left no recipients.
            _ = record.begin(self)
            readOldValues(of: object)
            unsafe deliverPrior(to: recipients, of: object, elements: nil, old: old)
        }
        blocked = record.beginAccess()
        guard !blocked.isEmpty else { return }
        for path in blocked where !concerns(path) { includePath(path, isQuiet: true) }
        readOldValues(of: object, isQuiet: true)
        for path in blocked { path.block() }
    }

    /// Ends the change, once the access has ended.
    ///
    /// - Parameter body: Reads the new value and calls its argument with pointers to the old and new value as optionals.
    @usableFromInline
    final func end(_ body: ((UnsafeRawPointer?, UnsafeRawPointer?) -> Void) -> Void) {
        record.endAccess()
        if recipients == nil { record.pendingOnThisThread()?.becomeDirty() }
        for path in blocked where path.unblock() { noteDeferred(path) }
        let changes = finish(of: object)
        guard recipients != nil || changes.contains(where: { $0.root != nil }) else { return }
        let recipients = recipients ?? Recipients(direct: RegistrationList(), paths: currentMembers(changes))
        unsafe body { old, new in unsafe deliver(changes, to: recipients, of: object, nil, old: old, new: new) }
    }

    /// Reads the value before and after, as the subclass knows how.
    @usableFromInline
    func didEnd() { preconditionFailure("a subclass knows the type") }
}

/// An access in place to a property of a type.
@usableFromInline
final class TypedChangeInPlace<Value>: ChangeInPlace, @unchecked Sendable {
    private let place: StoragePlace<Value>
    private var old: Value?

    @usableFromInline
    init(
        _ record: PropertyRecord, of object: AnyObject, at place: StoragePlace<Value>, for recipients: Recipients?,
        _ newestNumber: UInt64
    ) {
        self.place = place
        super.init(record, of: object, for: recipients, newestNumber)
        old = needsOld ? place.read() : nil
        unsafe withUnsafePointer(to: old) { unsafe begin(old: UnsafeRawPointer($0)) }
    }

    override func didEnd() {
        unsafe end { deliver in
            let new = needsNew ? place.read() : nil
            unsafe withUnsafePointer(to: old) { old in
                unsafe withUnsafePointer(to: new) { unsafe deliver(UnsafeRawPointer(old), UnsafeRawPointer($0)) }
            }
        }
    }
}
