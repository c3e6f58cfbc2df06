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
    /// - Parameters:
    ///   - object: The object.
    ///   - inbox: Takes its changes.
    ///   - lane: The number of the registration.
    ///   - request: What is asked for.
    /// - Returns: Its token, and what its lane begins with.
    func record(
        on object: Object, _ inbox: ChangeInbox<Kept>, lane: Int, _ request: ElsewhereRequest
    ) -> (observation: KeyValueObservation, opening: InboxState<Kept>.Opening)
}

/// A source whose types are known.
struct TypedInboxSource<Object: KeyValueObservable, Form: InboxForm>: InboxSource {
    let subject: ObservedSubject<Object, Form.Value>
    let form: Form

    init(_ subject: ObservedSubject<Object, Form.Value>, as form: Form) {
        self.subject = subject
        self.form = form
    }

    var name: String { subject.name }

    func name(in object: Object, _ fileID: StaticString, _ line: UInt) -> String {
        subject.name(in: object, fileID, line)
    }

    func target(of object: Object) -> ObjectIdentifier? { subject.target(of: object) }

    func lane(of object: Object, _ request: ElsewhereRequest) -> InboxLane<Form.Kept> {
        guard request.options.contains(.distinct) else { return InboxLane(request, comparing: nil) }
        guard let equality = form.equality else {
            Equality<Form.Value>.trap(
                of: subject.name(in: object, request.fileID, request.line), in: object, request.fileID, request.line)
        }
        return InboxLane(request, comparing: equality)
    }

    private func value(of object: Object) -> Form.Kept { Tracking.suspended { form.kept(subject.value(of: object)) } }

    func record(
        on object: Object, _ inbox: ChangeInbox<Form.Kept>, lane number: Int, _ request: ElsewhereRequest
    ) -> (observation: KeyValueObservation, opening: InboxState<Form.Kept>.Opening) {
        let (lane, options) = (inbox.lanes[number], request.options)
        let registration = InboxRegistration<Object, Form>(as: form, inbox, lane: number)
        let recorded = subject.record(
            registration,
            RegistrationRequest(
                options, needing: lane.needs, text: subject.text, observer: request.recipient,
                isolation: nil, request.fileID, request.line, form: request.isOfSeveral ? .sharedInboxes : .inboxes,
                notifier: { InboxRegistration<Object, Form>.notify($0) }),
            of: object)
        let asks = options.contains([.initial, .new]) || lane.keepsTold
        // Where several threads change it, changes after this value follow. Elsewhere it is read once more: before it was
        // recorded, another thread may have made a change that is not delivered to it.
        let first = recorded.initial.flatMap { $0.isAlone ? $0.value : nil }?.value(as: Form.Value.self)
        let value = asks ? first.map(form.kept) ?? value(of: object) : nil
        let initial = KeyValueObservedChange(
            kind: .setting, newValue: value, oldValue: nil, elements: nil, isPrior: false, origin: registration.site)
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

    /// A key path, whose values are kept as they are.
    static func keyPath(_ keyPath: KeyPath<Object, Kept>) -> Self {
        Self(all: [TypedInboxSource(.keyPath(keyPath), as: TypedForm())])
    }

    /// An expression that is observed at a place.
    static func reading(_ expression: @escaping (Object) -> Kept, _ fileID: StaticString, _ line: UInt) -> Self {
        Self(all: [TypedInboxSource(.reading(expression, fileID, line), as: TypedForm())])
    }
}

extension InboxSources where Kept == any Sendable {
    /// Several key paths, whose values are of any type.
    static func keyPaths<each Value: Sendable>(_ keyPath: repeat KeyPath<Object, each Value>) -> Self {
        func source<One: Sendable>(_ keyPath: KeyPath<Object, One>) -> any InboxSource<Object, any Sendable> {
            TypedInboxSource(.keyPath(keyPath), as: SharedForm<One>())
        }
        var all: [any InboxSource<Object, any Sendable>] = []
        for keyPath in repeat each keyPath { all.append(source(keyPath)) }
        return Self(all: all)
    }
}
