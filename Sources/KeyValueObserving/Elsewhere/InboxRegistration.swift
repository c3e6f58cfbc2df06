// Registrations whose changes go into an inbox.

/// A registration that puts changes into an inbox.
///
/// The object owns it and it owns the inbox. So when it goes without having been ended, the object is gone.
final class InboxRegistration<Object: KeyValueObservable, Form: InboxForm>: Registration, ElsewhereRegistration,
    @unchecked Sendable
{
    private let subject: ObservedSubject<Object, Form.Value>
    private let form: Form
    private let inbox: ChangeInbox<Form.Kept>
    /// Its number among those that share the inbox.
    private let lane: Int

    init(
        _ subject: ObservedSubject<Object, Form.Value>, as form: Form, _ inbox: ChangeInbox<Form.Kept>, lane: Int
    ) {
        self.subject = subject
        self.form = form
        self.inbox = inbox
        self.lane = lane
        super.init()
    }

    deinit {
        inbox.finish(lane: lane)
    }

    var isAbandoned: Bool { inbox.isAbandoned }
    var counts: (delivered: Int, dropped: Int) { inbox.counts(in: lane) }

    override var needsWholes: Bool { inbox.lanes[lane].needsWholes }

    override func whole(of object: AnyObject) -> BoxedValue? {
        needsWholes ? Tracking.suspended { .holding(value(of: object)) } : nil
    }

    private func value(of object: AnyObject) -> Form.Value {
        // It is the object that the registration was made on.
        unsafe subject.value(of: unsafeDowncast(object, to: Object.self))
    }

    /// Puts a change into the inboxes of a call site.
    static func notify(_ message: borrowing ChangeMessage) {
        // A call site's notifier is called for its own registrations, whose type this is, and for their object.
        let change = message.change(of: Form.Value.self)
        let object = message.object
        while let registration = message.next() {
            registration.with { registration in
                let registration = unsafe unsafeDowncast(registration, to: Self.self)
                object.with { registration.add(change, of: $0) }
            }
        }
    }

    private func add(_ change: KeyValueObservedChange<Form.Value>, of object: AnyObject) {
        inbox.add(form.kept(change), in: lane) {
            // The value is that after the change, unless the change is one of elements in a transaction. That comes with
            // the value.
            form.kept(change.elements?.whole?.value(as: Form.Value.self) ?? Tracking.suspended { value(of: object) })
        }
    }
}

/// Keeps a registration for a token that ends what waits, too.
final class InboxKeeper<Value: Sendable>: RegistrationKeeper {
    private let keeper: any RegistrationKeeper
    private let inbox: ChangeInbox<Value>
    /// The number of the registration among those that share the inbox.
    private let lane: Int

    init(_ keeper: any RegistrationKeeper, _ inbox: ChangeInbox<Value>, lane: Int) {
        self.keeper = keeper
        self.inbox = inbox
        self.lane = lane
    }

    func remove(_ number: RegistrationNumber) {
        // What waits goes also if the object is gone already.
        inbox.end(lane: lane)
        keeper.remove(number)
    }

    func becomeIgnorable(_ number: RegistrationNumber) -> [RegistrationNumber] { keeper.becomeIgnorable(number) }

    var keyPath: AnyKeyPath? { keeper.keyPath }

    var hasEnded: Bool { keeper.hasEnded || inbox.isAbandoned }

    var target: ObjectIdentifier { keeper.target }
}
