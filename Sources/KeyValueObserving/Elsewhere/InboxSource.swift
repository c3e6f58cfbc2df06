// What fills an inbox.

/// What is observed of an object, and how its values are kept in an inbox.
protocol InboxSource<Object, Kept>: Sendable {
    associatedtype Object: KeyValueObservable
    associatedtype Kept: Sendable

    /// What is observed, for messages.
    var name: String { get }

    /// The same for what has not been registered yet; traps if it cannot be observed.
    func name(in object: Object, _ fileID: StaticString, _ line: UInt) -> String

    /// Identifies what a registration is made on, as far as that is known.
    func target(of object: Object) -> ObjectIdentifier?

    /// What an inbox has to know of it; traps if values are to be compared that cannot be.
    func lane(of object: Object, _ request: ElsewhereRequest) -> InboxLane<Kept>

    /// Records a registration.
    ///
    /// - Returns: Its token, and what its lane begins with.
    func record(
        on object: Object, _ inbox: ChangeInbox<Kept>, lane: Int, _ request: ElsewhereRequest
    ) -> (observation: KeyValueObservation, opening: InboxState<Kept>.Opening)
}

/// A source whose types are known, and how its values are kept.
struct TypedInboxSource<Object: KeyValueObservable, Value, Kept: Sendable>: InboxSource, @unchecked Sendable {
    let subject: ObservedSubject<Object, Value>
    let kept: (Value) -> Kept
    let keptChange: (KeyValueObservedChange<Value>) -> KeyValueObservedChange<Kept>
    /// How kept values are compared; nil if they cannot be.
    let equality: Equality<Kept>?

    var name: String { subject.name }

    func name(in object: Object, _ fileID: StaticString, _ line: UInt) -> String {
        subject.name(in: object, fileID, line)
    }

    func target(of object: Object) -> ObjectIdentifier? { subject.target(of: object) }

    func lane(of object: Object, _ request: ElsewhereRequest) -> InboxLane<Kept> {
        guard request.options.contains(.distinct) else { return InboxLane(request, comparing: nil) }
        guard let equality else {
            Equality<Value>.trap(
                of: subject.name(in: object, request.fileID, request.line), in: object, request.fileID, request.line)
        }
        return InboxLane(request, comparing: equality)
    }

    func record(
        on object: Object, _ inbox: ChangeInbox<Kept>, lane number: Int, _ request: ElsewhereRequest
    ) -> (observation: KeyValueObservation, opening: InboxState<Kept>.Opening) {
        let (lane, options) = (inbox.lanes[number], request.options)
        let entrance = InboxEntrance(inbox, lane: number)
        let registration = ValueRegistration<Value>(into: entrance) { [kept, keptChange] change, whole, _ in
            entrance.add(keptChange(change), whole: whole.map(kept))
        }
        let recorded = subject.record(
            registration,
            ValueRegistration<Value>.request(
                options, needing: lane.needs, text: subject.text, observer: request.recipient, request.fileID,
                request.line, form: .inboxes),
            of: object)
        let asks = options.contains([.initial, .new]) || lane.keepsTold
        // Where several threads change it, changes after this value follow. Elsewhere it is read once more: before it was
        // recorded, another thread may have made a change that is not delivered to it.
        let first = recorded.initial.flatMap { $0.isAlone ? $0.value : nil }?.value(as: Value.self)
        let value = asks ? kept(first ?? Tracking.suspended { subject.value(of: object) }) : nil
        let initial = KeyValueObservedChange(
            kind: .setting, newValue: value, oldValue: nil, edit: nil, isPrior: false, origin: registration.site)
        let opening = InboxState.Opening(initial: options.contains(.initial) ? initial : nil, value: value)
        recorded.initial?.end(of: registration, on: object)
        return (
            KeyValueObservation(registration.number, in: InboxKeeper(recorded.keeper, inbox, lane: number)), opening
        )
    }
}

/// Key paths or an expression of an object, whose changes go into one inbox; at least one.
struct InboxSources<Object: KeyValueObservable, Kept: Sendable>: Sendable {
    let all: [any InboxSource<Object, Kept>]

    private init(all: [any InboxSource<Object, Kept>]) { self.all = all }

    /// A key path, whose values are kept as they are.
    static func keyPath(_ keyPath: KeyPath<Object, Kept>) -> Self { Self(.keyPath(keyPath)) }

    /// An expression that is observed at a place.
    static func reading(_ expression: @escaping (Object) -> Kept, _ fileID: StaticString, _ line: UInt) -> Self {
        Self(.reading(expression, fileID, line))
    }

    private init(_ subject: ObservedSubject<Object, Kept>) {
        all = [TypedInboxSource(subject: subject, kept: { $0 }, keptChange: { $0 }, equality: Equality())]
    }
}

extension InboxSources where Kept == any Sendable {
    /// Several key paths, whose values are of any type and never optionals.
    static func keyPaths<each Value: Sendable>(_ keyPath: repeat KeyPath<Object, each Value>) -> Self {
        var all: [any InboxSource<Object, any Sendable>] = []
        for keyPath in repeat each keyPath { all.append(source(keyPath)) }
        return Self(all: all)
    }

    private static func source<Value: Sendable>(
        _ keyPath: KeyPath<Object, Value>
    ) -> any InboxSource<Object, any Sendable> {
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
        return TypedInboxSource(
            subject: .keyPath(keyPath), kept: kept, keptChange: { $0.mapValues(kept) }, equality: equality)
    }
}
