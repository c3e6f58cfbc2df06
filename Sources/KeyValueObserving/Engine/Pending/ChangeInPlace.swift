// A change that is made in place, between the begin of an access and its end.

/// An access in place to a property of an object that is observed.
@usableFromInline
final class ChangeInPlace: PendingChange, @unchecked Sendable {
    /// The object, which the accessor holds until the change has been delivered.
    @usableFromInline let object: Unretained<AnyObject>
    /// Who is notified; nil if nobody is of the property itself, or if a change around this one speaks for it.
    private var recipients: Recipients?
    /// The value before the access, if it is needed.
    private var old: BoxedValue?
    /// The paths that must not be evaluated until the access ends.
    private var blocked: ContiguousArray<ObservedPath> = []
    /// Whether the access notifies only if a change of the property is announced manually before it ends.
    private let isSilent: Bool
    // The lock of the record's table makes accesses exclusive.
    @safe @exclusivity(unchecked) private var isAnnounced = false

    init(
        _ record: PropertyRecord, of object: AnyObject, for recipients: Recipients?, _ newestNumber: UInt64,
        isSilent: Bool = false
    ) {
        self.object = Unretained(object)
        self.recipients = recipients
        self.isSilent = isSilent
        super.init(record, newestNumber)
    }

    @usableFromInline var property: PropertyIdentity { record.property }
    /// Whether the property's value is to be read before the access.
    @usableFromInline var needsOld: Bool { recipients?.needsOld ?? false }
    /// Whether the property's value is to be read after the access.
    @usableFromInline var needsNew: Bool { recipients?.needsNew ?? false }

    /// Prepares the access.
    ///
    /// - Parameter old: The old value, if it is needed.
    @usableFromInline
    func begin(old: BoxedValue?) {
        self.old = old
        if let recipients, recipients.isDirect {
            // No code of others runs before the access.
            blocked = record.beginAccess(of: self)
        } else if isSilent {
            blocked = record.beginAccess(of: recipients == nil ? nil : self)
        } else {
            Tracking.suspended { prepare() }
            blocked = record.beginAccess()
        }
        guard !blocked.isEmpty else { return }
        Tracking.suspended {
            for path in blocked where !concerns(path) {
                object.with { includePath(path, isQuiet: true)?.findOldValue(of: $0) }
            }
            for path in blocked { path.block() }
        }
    }

    private func prepare() {
        guard let recipients else { return }
        include(recipients.paths)
        becomePending()
        object.with { object in
            findOldValues(of: object)
            Sink.deliverPrior(self, to: recipients, of: object, nil, ChangeValues(old: old))
            Sink.begin(self, of: object)
        }
    }

    /// Notes that a change of the property is announced manually while the access lasts.
    func becomeAnnounced() {
        record.withLock { isAnnounced = true }
        if isSilent { object.with { Sink.begin(self, of: $0) } }
    }

    /// Ends the access, before the new value is read.
    @usableFromInline
    func endAccess() {
        Tracking.suspended {
            let isAnnounced = isSilent && record.withLock { self.isAnnounced }
            record.endAccess()
            if recipients == nil { record.pending(on: thread)?.becomeDirty() }
            if isSilent, !isAnnounced { recipients = nil }
            noteDeferred(blocked.filter { $0.unblock() || isAnnounced })
            object.with { _ = finish(of: $0) }
            if recipients == nil, paths.contains(where: { $0.root != nil }) {
                recipients = Recipients(direct: RegistrationList(), paths: currentMembers)
            }
        }
    }

    /// Calls the recipients, if there are any, and ends the announced changes that waited for the end of the access.
    ///
    /// - Parameter values: The new value.
    @usableFromInline
    func deliver(new values: ChangeValues) {
        if let recipients { object.with { Sink.deliver(self, to: recipients, of: $0, nil, values.with(old: old)) } }
        for end in record.takePostponedEnds() { Tracking.suspended(end) }
    }
}
