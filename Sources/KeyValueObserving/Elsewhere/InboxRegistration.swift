// Registrations whose changes go into an inbox.

/// A registration that puts changes into an inbox.
///
/// The object owns it and it owns the inbox. So when it goes without having been ended, the object is gone.
final class InboxRegistration<Object: KeyValueObservable, Form: InboxForm>: Registration, ElsewhereRegistration,
    @unchecked Sendable
{
    private let form: Form
    private let inbox: ChangeInbox<Form.Kept>
    /// Its number among those that share the inbox.
    private let lane: Int

    init(as form: Form, _ inbox: ChangeInbox<Form.Kept>, lane: Int) {
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

    /// Puts a change into the inboxes of a call site.
    static func notify(_ message: borrowing ChangeMessage) {
        // A call site's notifier is called for its own registrations, whose type this is.
        let whole = message.values.whole(as: Form.Value.self)
        message.forEach(Form.Value.self) { registration, change in
            unsafe unsafeDowncast(registration, to: Self.self).add(change, whole)
        }
    }

    private func add(_ change: KeyValueObservedChange<Form.Value>, _ whole: Form.Value?) {
        inbox.add(form.kept(change), whole: whole.map(form.kept), in: lane)
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
