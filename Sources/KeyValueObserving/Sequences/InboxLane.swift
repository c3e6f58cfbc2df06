// The registrations that fill an inbox.

/// The needs of an inbox for one of its registrations.
struct InboxNeeds: Sendable {
    /// Compares the values after two changes, if equal ones are dropped.
    let areEqual: (@Sendable (WaitingChange, WaitingChange) -> Bool)?
    /// Whether the last delivered change is kept, because changes may be dropped, or are compared with it.
    let keepsLast: Bool
    /// The values to read beside those that the handler receives.
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

/// A key path or expression of an object whose registration fills an inbox.
protocol InboxLane<Object>: Sendable {
    associatedtype Object: KeyValueObservable

    /// The name, for messages about a dead object.
    var name: String { get }

    /// The name, for messages; traps if the key path cannot be observed.
    func name(in object: Object, _ request: SequenceRequest) -> String

    /// Identifies the property or watch of the registration, if known.
    func target(in object: Object) -> ObjectIdentifier?

    /// The inbox's needs for it; traps if values cannot be compared as requested.
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
        // If several threads change the property, changes after this value follow. Otherwise it is read once more,
        // because another thread may have made an undelivered change before the registration was recorded.
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
/// Only this registration fills its lane. If it is released without having been ended, the object has died.
final class InboxRegistration: Registration, Entrance, @unchecked Sendable {
    /// A recorded registration, and the first contents of its lane.
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

    /// Adds a change to the inboxes of a call site's registrations, which share one box.
    static func notify<Value>(_ message: borrowing ChangeMessage, _ type: Value.Type) {
        let whole = message.isOfElements ? message.values.whole(as: type) : nil
        // A call site's notifier is called only for its own registrations, which have this type.
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

/// Keeps a registration for a token whose end also drops the waiting changes.
final class InboxKeeper: RegistrationKeeper {
    private let keeper: any RegistrationKeeper
    private let inbox: Inbox
    private let lane: Int

    init(_ keeper: any RegistrationKeeper, _ inbox: Inbox, lane: Int) {
        (self.keeper, self.inbox, self.lane) = (keeper, inbox, lane)
    }

    func remove(_ number: RegistrationNumber) {
        // The waiting changes are dropped even if the object has died.
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
