// One of the registrations that fill an inbox: how it is made, its way into the inbox, and its end.

/// What is observed of an object, and how its values are kept in an inbox.
protocol InboxLane<Object, Kept>: Sendable {
    associatedtype Object: KeyValueObservable
    associatedtype Kept: Sendable

    /// What is observed, for messages; traps if it cannot be observed.
    func name(in object: Object, _ request: SequenceRequest) -> String

    /// Identifies what a registration is made on, as far as that is known.
    func target(in object: Object) -> ObjectIdentifier?

    /// What the inbox has to keep for it; traps if values are to be compared that cannot be.
    func needs(in object: Object, _ request: SequenceRequest) -> InboxNeeds<Kept>

    func request(
        _ request: SequenceRequest, needing needs: ValueNeeds, for recipient: String
    ) -> RegistrationRequest

    /// Records a registration that fills an inbox, and returns its token and what the lane begins with.
    func record<Element>(
        _ request: borrowing RegistrationRequest, on object: Object, _ inbox: ChangeInbox<Kept, Element>, lane: Int
    ) -> (observation: KeyValueObservation, opening: InboxState<Kept>.Opening)
}

/// What an inbox keeps for a lane.
struct InboxNeeds<Value: Sendable>: Sendable {
    /// Compares values where equal ones are left out.
    let equality: Equality<Value>?
    /// Whether the value that was delivered last is kept: changes may be dropped, or are compared with it.
    let keepsLastValue: Bool
    /// What must be read, beside what the handler is called with.
    let values: ValueNeeds

    init(_ request: SequenceRequest, comparing equality: Equality<Value>?) {
        let (options, isBounded) = (request.options, request.policy.bound != nil)
        self.equality = equality
        keepsLastValue = equality != nil || isBounded && options.contains(.old)
        let needsWholes = request.isOfWholes || keepsLastValue || isBounded && options.contains(.new)
        values = needsWholes ? (keepsLastValue ? [.new, .whole] : .whole) : []
    }
}

struct TypedLane<Object: KeyValueObservable, Value, Kept: Sendable>: InboxLane, @unchecked Sendable {
    let subject: ObservedSubject<Object, Value>
    let kept: (Value) -> Kept
    let keptChange: (KeyValueObservedChange<Value>) -> KeyValueObservedChange<Kept>
    /// How kept values are compared; nil if they cannot be.
    let equality: Equality<Kept>?

    func name(in object: Object, _ request: SequenceRequest) -> String {
        subject.name(in: object, request.fileID, request.line)
    }

    func target(in object: Object) -> ObjectIdentifier? { subject.target(of: object) }

    func needs(in object: Object, _ request: SequenceRequest) -> InboxNeeds<Kept> {
        guard request.options.contains(.distinct) else { return InboxNeeds(request, comparing: nil) }
        guard let equality else {
            Equality<Value>.trap(of: name(in: object, request), in: object, request.fileID, request.line)
        }
        return InboxNeeds(request, comparing: equality)
    }

    func request(
        _ request: SequenceRequest, needing needs: ValueNeeds, for recipient: String
    ) -> RegistrationRequest {
        ValueRegistration<Value>.request(
            request.options, needing: needs, text: subject.text, observer: recipient, request.fileID, request.line,
            form: .inboxes)
    }

    func record<Element>(
        _ request: borrowing RegistrationRequest, on object: Object, _ inbox: ChangeInbox<Kept, Element>,
        lane number: Int
    ) -> (observation: KeyValueObservation, opening: InboxState<Kept>.Opening) {
        let options = request.options
        let entrance = InboxEntrance(inbox, lane: number)
        let registration = ValueRegistration<Value>(into: entrance) { [kept, keptChange] change, whole, _ in
            entrance.add(keptChange(change), whole: whole.map(kept))
        }
        let recorded = subject.record(registration, request, of: object)
        let asks = options.contains([.initial, .new]) || inbox.needs[number].keepsLastValue
        // Where several threads change it, changes after this value follow. Elsewhere it is read once more: before it
        // was recorded, another thread may have made a change that is not delivered to it.
        let first = recorded.first.flatMap { $0.isExact ? $0.value : nil }?.value(as: Value.self)
        let value = asks ? kept(first ?? Tracking.suspended { subject.value(of: object) }) : nil
        let initial = KeyValueObservedChange(
            kind: .setting, newValue: value, oldValue: nil, edit: nil, isPrior: false, origin: registration.site)
        recorded.first?.end()
        return (
            KeyValueObservation(registration.number, in: InboxKeeper(recorded.keeper, inbox, lane: number)),
            InboxState.Opening(initial: options.contains(.initial) ? initial : nil, value: value)
        )
    }
}

extension ObservedSubject where Value: Sendable {
    /// A lane that keeps the values as they are.
    var lane: TypedLane<Object, Value, Value> {
        TypedLane(subject: self, kept: { $0 }, keptChange: { $0 }, equality: Equality())
    }

    /// A lane that keeps values of any type, and never optionals.
    var erasedLane: TypedLane<Object, Value, any Sendable> {
        func kept(_ value: Value) -> any Sendable {
            func open<Erased>(_: Erased.Type) -> Erased {
                // Every value is one of type `any Sendable` to a cast, and this one is Sendable by its type.
                guard let erased = bare(value) as? Erased else { preconditionFailure("the protocol asks for nothing") }
                return erased
            }
            return open((any Sendable).self)
        }
        let equality = Equality<Value>().map { equality in
            Equality<any Sendable> { left, right in
                // Both are of the key path's type, or what is in such an optional.
                guard let left = left as? Value, let right = right as? Value else { return false }
                return equality.areEqual(left, right)
            }
        }
        return TypedLane(subject: self, kept: kept, keptChange: { $0.mapValues(kept) }, equality: equality)
    }
}

/// The way of a registration into a lane of an inbox.
///
/// The registration alone holds it. So when it goes without having been ended, the object is gone.
final class InboxEntrance<Value: Sendable, Element: Sendable>: Entrance, Sendable {
    private let inbox: ChangeInbox<Value, Element>
    private let lane: Int

    init(_ inbox: ChangeInbox<Value, Element>, lane: Int) { (self.inbox, self.lane) = (inbox, lane) }

    deinit { inbox.finish(lane: lane) }

    var isAbandoned: Bool { inbox.isAbandoned }
    var counts: (delivered: Int, dropped: Int) { inbox.counts(in: lane) }

    func add(_ change: KeyValueObservedChange<Value>, whole: Value?) { inbox.add(change, whole: whole, in: lane) }
}

/// Keeps a registration for a token that ends what waits, too.
final class InboxKeeper<Value: Sendable, Element: Sendable>: RegistrationKeeper {
    private let keeper: any RegistrationKeeper
    private let inbox: ChangeInbox<Value, Element>
    private let lane: Int

    init(_ keeper: any RegistrationKeeper, _ inbox: ChangeInbox<Value, Element>, lane: Int) {
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
    var target: ObjectIdentifier { keeper.target }
}
