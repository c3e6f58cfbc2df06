// A change that is made in place, between the begin of an access and its end.

/// An access in place to a property of an object that is observed.
@usableFromInline
final class ChangeInPlace: PendingChange, @unchecked Sendable {
    @usableFromInline let object: AnyObject
    /// Who is notified; nil if nobody is of the property itself, or if a change around this one speaks for it.
    private var recipients: Recipients?
    /// The value before the access, if it is needed.
    private var old: BoxedValue?
    /// The paths that must not be evaluated until the access ends.
    private var blocked: ContiguousArray<ObservedPath> = []

    init(_ record: PropertyRecord, of object: AnyObject, for recipients: Recipients?, _ newestNumber: UInt64) {
        self.object = object
        self.recipients = recipients
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
        } else {
            Tracker.suspended {
                prepare()
                Transaction.current?.begin(record, of: object)
            }
            blocked = record.beginAccess()
        }
        guard !blocked.isEmpty else { return }
        Tracker.suspended {
            for path in blocked where !concerns(path) {
                includePath(path, isQuiet: true)?.findOldValue(of: object)
            }
            for path in blocked { path.block() }
        }
    }

    private func prepare() {
        guard let recipients else { return }
        include(recipients.paths)
        // A change that came first on this thread would have left no recipients.
        _ = record.begin(self)
        findOldValues(of: object)
        deliverPrior(to: recipients, of: object, nil, ChangeValues(old: old))
    }

    /// Ends the access, before the new value is read.
    @usableFromInline
    func endAccess() {
        Tracker.suspended {
            Delivery.completeAll()
            record.endAccess()
            if recipients == nil { record.pendingOnThisThread()?.becomeDirty() }
            for path in blocked where path.unblock() { noteDeferred(path) }
            finish(of: object)
            if recipients == nil, paths.contains(where: { $0.root != nil }) {
                recipients = Recipients(direct: RegistrationList(), paths: currentMembers)
            }
        }
    }

    /// Calls the recipients, if there are any.
    ///
    /// - Parameter values: The new value.
    @usableFromInline
    func deliver(new values: ChangeValues) {
        guard let recipients else { return }
        deliver(to: recipients, of: object, nil, values.with(old: old))
    }
}
