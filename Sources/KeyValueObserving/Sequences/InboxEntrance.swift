// The way into an inbox, and out of it.

/// The way of a registration into an inbox.
///
/// The registration alone holds it. So when it goes without having been ended, the object is gone.
final class InboxEntrance<Value: Sendable, Element: Sendable>: Entrance, Sendable {
    private let inbox: ChangeInbox<Value, Element>
    /// The number of the registration among those that share the inbox.
    private let lane: Int

    init(_ inbox: ChangeInbox<Value, Element>, lane: Int) {
        self.inbox = inbox
        self.lane = lane
    }

    deinit {
        inbox.finish(lane: lane)
    }

    var isAbandoned: Bool { inbox.isAbandoned }
    var counts: (delivered: Int, dropped: Int) { inbox.counts(in: lane) }

    func add(_ change: KeyValueObservedChange<Value>, whole: Value?) { inbox.add(change, whole: whole, in: lane) }
}

/// Keeps a registration for a token that ends what waits, too.
final class InboxKeeper<Value: Sendable, Element: Sendable>: RegistrationKeeper {
    private let keeper: any RegistrationKeeper
    private let inbox: ChangeInbox<Value, Element>
    /// The number of the registration among those that share the inbox.
    private let lane: Int

    init(_ keeper: any RegistrationKeeper, _ inbox: ChangeInbox<Value, Element>, lane: Int) {
        self.keeper = keeper
        self.inbox = inbox
        self.lane = lane
    }

    func remove(_ number: RegistrationNumber) {
        // What waits goes also if the object is gone already.
        inbox.end(lane: lane)
        keeper.remove(number)
    }

    func registrations(_ number: RegistrationNumber) -> [Registration] { keeper.registrations(number) }

    var keyPath: AnyKeyPath? { keeper.keyPath }

    var hasEnded: Bool { keeper.hasEnded || inbox.isAbandoned }

    var target: ObjectIdentifier { keeper.target }
}
