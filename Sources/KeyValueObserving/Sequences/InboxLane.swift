// One of the registrations that fill an inbox: how it is made, its way into the inbox, and its end.

/// What an inbox needs for one of the registrations that fill it.
struct InboxNeeds: Sendable {
    /// Compares the values after changes, where equal ones are left out.
    let areEqual: (@Sendable (WaitingChange, WaitingChange) -> Bool)?
    /// Whether the change that was delivered last is kept: changes may be dropped, or are compared with it.
    let keepsLast: Bool
    /// What must be read, beside what the handler is called with.
    let values: ValueNeeds

    fileprivate init<Value>(
        _ options: KeyValueObservingOptions, ofWholes isOfWholes: Bool, _ policy: KeyValueBufferingPolicy,
        comparing equality: Equality<Value>?
    ) {
        areEqual = equality?.comparingChanges
        keepsLast = equality != nil || policy.drops && options.contains(.old)
        let needsWholes = isOfWholes || keepsLast || policy.drops && options.contains(.new)
        values = needsWholes ? (keepsLast ? [.new, .whole] : .whole) : []
    }
}

extension Equality {
    /// Compares the values after two changes.
    fileprivate var comparingChanges: @Sendable (WaitingChange, WaitingChange) -> Bool {
        { left, right in
            guard let left = BoxedChange<Value>.of(left).valueAfter, let right = BoxedChange<Value>.of(right).valueAfter
            else { return false }
            return self.areEqual(left, right)
        }
    }
}

/// What is observed of an object, and how a registration of it fills an inbox.
protocol InboxLane<Object>: Sendable {
    associatedtype Object: KeyValueObservable

    /// What is observed, for messages about an object that is gone.
    var name: String { get }

    /// What is observed, for messages; traps if it cannot be observed.
    func name(in object: Object, _ request: SequenceRequest) -> String

    /// Identifies what a registration is made on, as far as that is known.
    func target(in object: Object) -> ObjectIdentifier?

    /// What the inbox needs for it; traps if values are to be compared that cannot be.
    func needs(
        in object: Object, _ request: SequenceRequest, _ options: KeyValueObservingOptions, ofWholes isOfWholes: Bool
    ) -> InboxNeeds

    /// Records a registration that fills an inbox.
    func record(
        _ request: SequenceRequest, _ options: KeyValueObservingOptions, for recipient: String, on object: Object,
        _ inbox: Inbox, lane: Int
    ) -> InboxRegistration.Recorded
}

extension ObservedSubject: InboxLane {
    func name(in object: Object, _ request: SequenceRequest) -> String {
        name(in: object, request.fileID, request.line)
    }

    func target(in object: Object) -> ObjectIdentifier? { target(of: object) }

    func needs(
        in object: Object, _ request: SequenceRequest, _ options: KeyValueObservingOptions, ofWholes isOfWholes: Bool
    ) -> InboxNeeds {
        let equality = options.contains(.distinct) ? Equality<Value>() : nil
        if options.contains(.distinct), equality == nil {
            Equality<Value>.trap(of: name(in: object, request), in: object, request.fileID, request.line)
        }
        return InboxNeeds(options, ofWholes: isOfWholes, request.policy, comparing: equality)
    }

    func record(
        _ request: SequenceRequest, _ options: KeyValueObservingOptions, for recipient: String, on object: Object,
        _ inbox: Inbox, lane number: Int
    ) -> InboxRegistration.Recorded {
        let registration = InboxRegistration(filling: inbox, lane: number)
        let recorded = record(
            registration,
            RegistrationRequest(
                options, needing: inbox.needs[number].values, text: text, observer: recipient, isolation: nil,
                request.fileID, request.line, form: .inboxes, notifier: { InboxRegistration.notify($0, Value.self) }),
            of: object)
        // Where several threads change it, changes after this value follow. Elsewhere it is read once more: before it
        // was recorded, another thread may have made a change that is not delivered to it.
        let first = recorded.first.flatMap { $0.isExact ? $0.value : nil }?.value(as: Value.self)
        let asks = options.contains([.initial, .new]) || inbox.needs[number].keepsLast
        let opening = BoxedChange(
            KeyValueObservedChange(
                kind: .setting, oldValue: nil, newValue: asks ? first ?? Tracking.suspended { value(of: object) } : nil,
                edit: nil, isPrior: false, origin: registration.site))
        recorded.first?.end()
        if let label = request.label { registration.setLabel(label) }
        return InboxRegistration.Recorded(
            keeper: recorded.keeper, number: registration.number,
            opening: InboxState.Opening(initial: options.contains(.initial) ? opening : nil, value: opening))
    }
}

/// A registration that fills an inbox.
///
/// It alone has the way into its lane. So when it goes without having been ended, the object is gone.
final class InboxRegistration: Registration, Entrance, @unchecked Sendable {
    /// A registration that was made, and what its lane begins with.
    struct Recorded {
        let keeper: any RegistrationKeeper
        let number: RegistrationNumber
        let opening: InboxState.Opening
    }

    private let inbox: Inbox
    private let lane: Int

    init(filling inbox: Inbox, lane: Int) {
        (self.inbox, self.lane) = (inbox, lane)
        super.init()
    }

    deinit { inbox.finish(lane: lane) }

    override var entrance: (any Entrance)? { self }

    var isAbandoned: Bool { inbox.isAbandoned }
    var counts: (delivered: Int, dropped: Int) { inbox.counts(in: lane) }

    /// Adds a change to the inboxes of a call site's registrations, which share what holds it.
    static func notify<Value>(_ message: borrowing ChangeMessage, _ type: Value.Type) {
        let whole = message.isOfElements ? message.values.whole(as: type) : nil
        // A call site's notifier is called for its own registrations, whose type this is.
        func add(_ change: BoxedChange<Value>, to registration: Registration) {
            let registration = unsafe unsafeDowncast(registration, to: Self.self)
            registration.inbox.add(change, in: registration.lane)
        }
        if message.areDifferent {
            message.forEachDifferent(type) { add(BoxedChange($1, whole: whole), to: $0) }
        } else {
            let change = BoxedChange(message.change(of: type), whole: whole)
            message.forEachRegistration { add(change, to: $0) }
        }
    }
}

/// Keeps a registration for a token that ends what waits, too.
final class InboxKeeper: RegistrationKeeper {
    private let keeper: any RegistrationKeeper
    private let inbox: Inbox
    private let lane: Int

    init(_ keeper: any RegistrationKeeper, _ inbox: Inbox, lane: Int) {
        (self.keeper, self.inbox, self.lane) = (keeper, inbox, lane)
    }

    func remove(_ number: RegistrationNumber) {
        // What waits goes also if the object is gone already.
        inbox.end(lane: lane)
        keeper.remove(number)
    }

    func registrations(_ number: RegistrationNumber) -> [Registration] { keeper.registrations(number) }

    var keyPath: AnyKeyPath? { keeper.keyPath }
    var hasEnded: Bool { keeper.hasEnded || inbox.isAbandoned }
    var hasOverflowed: Bool { inbox.hasOverflowed }
    var objects: [AnyObject] { keeper.objects }

    func end(_ number: RegistrationNumber, with observer: ObserverLink) {
        inbox.end(with: observer)
        keeper.end(number, with: observer)
    }
    var target: ObjectIdentifier { keeper.target }
}
