// Registrations whose changes go into an inbox.

/// A registration that puts changes into an inbox.
///
/// The object owns it and it owns the inbox. So when it goes without having been ended, the object is gone.
final class InboxRegistration<Object: KeyValueObservable, Value: Sendable>: Registration, ElsewhereRegistration,
    @unchecked Sendable
{
    private let subject: ObservedSubject<Object, Value>
    private let inbox: ChangeInbox<Value>

    init(_ subject: ObservedSubject<Object, Value>, _ inbox: ChangeInbox<Value>) {
        self.subject = subject
        self.inbox = inbox
        super.init()
    }

    deinit {
        inbox.finish()
    }

    var isAbandoned: Bool { inbox.isAbandoned }
    var counts: (delivered: Int, dropped: Int) { inbox.counts }

    override var needsWholes: Bool { inbox.needsWholes }

    override func whole(of object: AnyObject) -> BoxedValue? {
        needsWholes ? Tracking.suspended { .holding(value(of: object)) } : nil
    }

    private func value(of object: AnyObject) -> Value {
        // It is the object that the registration was made on.
        unsafe subject.value(of: unsafeDowncast(object, to: Object.self))
    }

    /// Puts a change into the inboxes of a call site.
    static func notify(_ message: borrowing ChangeMessage) {
        // A call site's notifier is called for its own registrations, whose type this is, and for their object.
        let change = message.change(of: Value.self)
        let object = message.object
        while let registration = message.next() {
            registration.with { registration in
                let registration = unsafe unsafeDowncast(registration, to: Self.self)
                object.with { object in
                    registration.inbox.add(change) { registration.value(of: object) }
                }
            }
        }
    }
}

/// Keeps a registration for a token that ends the inbox, too.
private final class InboxKeeper<Value: Sendable>: RegistrationKeeper {
    private let keeper: any RegistrationKeeper
    private let inbox: ChangeInbox<Value>

    init(_ keeper: any RegistrationKeeper, _ inbox: ChangeInbox<Value>) {
        self.keeper = keeper
        self.inbox = inbox
    }

    func remove(_ number: RegistrationNumber) {
        // What waits goes also if the object is gone already.
        inbox.end()
        keeper.remove(number)
    }

    func becomeIgnorable(_ number: RegistrationNumber) -> [RegistrationNumber] { keeper.becomeIgnorable(number) }

    var keyPath: AnyKeyPath? { keeper.keyPath }

    var hasEnded: Bool { keeper.hasEnded || inbox.isAbandoned }
}

/// A registration to be made that is delivered elsewhere.
package struct ElsewhereRequest {
    let recipient: String
    let options: KeyValueObservingOptions
    let policy: KeyValueBufferingPolicy
    let fileID: StaticString
    let line: UInt

    /// Creates a request; traps if it cannot be fulfilled.
    ///
    /// - Parameters:
    ///   - recipient: Where it is delivered, in words that are no name of a type. So its call site is never that of a
    ///     registration of another kind.
    ///   - options: What is asked for.
    ///   - policy: How many changes may wait.
    ///   - keyPath: Where it is to be made.
    ///   - object: The object.
    ///   - fileID: Where it is made.
    ///   - line: Where it is made.
    package init<Object: KeyValueObservable, Value>(
        to recipient: String, _ options: KeyValueObservingOptions, _ policy: KeyValueBufferingPolicy,
        at keyPath: KeyPath<Object, Value>, of object: Object, _ fileID: StaticString, _ line: UInt
    ) {
        self.init(to: recipient, options, policy, of: .keyPath(keyPath), in: object, fileID, line)
    }

    /// The same for a key path or an expression.
    init<Object: KeyValueObservable, Value>(
        to recipient: String, _ options: KeyValueObservingOptions, _ policy: KeyValueBufferingPolicy,
        of observed: ObservedSubject<Object, Value>, in object: Object, _ fileID: StaticString, _ line: UInt
    ) {
        var subject: String {
            "\(observed.name(in: object, fileID, line)) of \(TypeName.of(object))"
        }
        guard !options.contains(.prior) else {
            fatalError(
                """
                \(subject) cannot be observed with .prior by a \(recipient): when it is called, the change has been \
                made. Leave out .prior, or use observe(_:options:changeHandler:), which calls its handler before \
                the change.
                """, file: fileID, line: line)
        }
        if let bound = policy.bound, bound < 1 {
            fatalError(
                """
                \(subject) cannot be observed with the buffering policy \(policy): at least 1 change must be able to \
                wait. Use .newest(1) or .oldest(1), or .unbounded.
                """, file: fileID, line: line)
        }
        self.recipient = recipient
        self.options = options
        self.policy = policy
        self.fileID = fileID
        self.line = line
    }
}

extension KeyValueObservable {
    /// Makes a registration that is delivered elsewhere.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe.
    ///   - request: What is asked for.
    ///   - isOfWholes: Whether each change is to have the whole value.
    ///   - delivery: Takes the changes.
    /// - Returns: The registration.
    package func register<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, _ request: ElsewhereRequest, ofWholes isOfWholes: Bool = false,
        _ delivery: some InboxDelivery<Value>
    ) -> KeyValueObservation {
        registerInbox(.keyPath(keyPath), request, ofWholes: isOfWholes, delivery).observation
    }

    /// The same, with the inbox.
    func registerInbox<Value: Sendable>(
        _ subject: ObservedSubject<Self, Value>, _ request: ElsewhereRequest, ofWholes isOfWholes: Bool,
        _ delivery: some InboxDelivery<Value>
    ) -> (observation: KeyValueObservation, inbox: ChangeInbox<Value>) {
        let options = request.options
        let distinct =
            options.contains(.distinct)
            ? DistinctValues(
                Tracking.suspended { subject.value(of: self) },
                comparing: Equality(
                    of: subject.name(in: self, request.fileID, request.line), in: self, request.fileID, request.line))
            : nil
        let inbox = ChangeInbox<Value>(request.policy, options, ofWholes: isOfWholes, distinct: distinct, delivery)
        let registration = InboxRegistration(subject, inbox)
        let keeper = subject.record(
            registration,
            RegistrationRequest(
                options, needing: inbox.needs, text: subject.text, observer: request.recipient, isolation: nil,
                request.fileID, request.line,
                form: .inboxes, notifier: { InboxRegistration<Self, Value>.notify($0) }),
            of: self)
        let observation = KeyValueObservation(registration.number, in: InboxKeeper(keeper, inbox))
        let initial =
            options.contains(.initial)
            ? KeyValueObservedChange(
                kind: .setting,
                newValue: distinct?.last
                    ?? (options.contains(.new) ? Tracking.suspended { subject.value(of: self) } : nil),
                oldValue: nil, elements: nil, isPrior: false, origin: registration.site)
            : nil
        inbox.open(for: observation, initial: initial) { subject.value(of: self) }
        return (observation, inbox)
    }
}
