// Registering what is delivered elsewhere.

extension KeyValueObservable {
    /// Makes a registration that is delivered elsewhere.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe.
    ///   - request: What is asked for.
    ///   - delivery: Takes the changes.
    /// - Returns: The registration.
    package func register<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, _ request: ElsewhereRequest, _ delivery: some InboxDelivery<Value>
    ) -> KeyValueObservation {
        let source = TypedInboxSource(.keyPath(keyPath), as: TypedForm<Value>())
        return registerInbox([source], request, ofWholes: false, delivery).observation
    }

    /// The same at a key path that was put together from parts, with values in another form.
    package func register<Form: InboxForm>(
        _ keyPath: KeyPath<Self, Form.Value>, parts: [AnyKeyPath], as form: Form, _ request: ElsewhereRequest,
        _ delivery: some InboxDelivery<Form.Kept>
    ) -> KeyValueObservation {
        let source = TypedInboxSource(.keyPath(keyPath, parts: parts), as: form)
        return registerInbox([source], request, ofWholes: false, delivery).observation
    }

    /// Makes a registration at each of several key paths, whose changes are delivered elsewhere in one order.
    package func register(
        _ keyPaths: SharedKeyPaths<Self>, _ request: ElsewhereRequest, _ delivery: some InboxDelivery<any Sendable>
    ) -> KeyValueObservation {
        registerInbox(keyPaths.sources, request, ofWholes: false, delivery).observation
    }

    /// Makes registrations that share an inbox.
    ///
    /// All are checked before the first is made. What is there twice counts once.
    ///
    /// - Parameters:
    ///   - sources: What to observe; at least one.
    ///   - request: What is asked for.
    ///   - isOfWholes: Whether each change is to have the whole value.
    ///   - delivery: Takes the changes.
    /// - Returns: A token for all of them, and the inbox.
    func registerInbox<Kept: Sendable>(
        _ sources: [any InboxSource<Self, Kept>], _ request: ElsewhereRequest, ofWholes isOfWholes: Bool,
        _ delivery: some InboxDelivery<Kept>
    ) -> (observation: KeyValueObservation, inbox: ChangeInbox<Kept>) {
        var observations: [KeyValueObservation] = []
        let inbox = fillInbox(of: sources, request, ofWholes: isOfWholes, delivery) { _, record in
            observations.append(record())
        }
        return (observations.count == 1 ? observations[0] : KeyValueObservation(observations), inbox)
    }

    /// The same for registrations whose tokens are kept elsewhere.
    ///
    /// - Parameters:
    ///   - sources: What to observe; at least one.
    ///   - request: What is asked for.
    ///   - isOfWholes: Whether each change is to have the whole value.
    ///   - delivery: Takes the changes.
    ///   - keep: Called with each source, once, and with what makes its registration; it may leave that out.
    /// - Returns: The inbox.
    func fillInbox<Kept: Sendable>(
        of sources: [any InboxSource<Self, Kept>], _ request: ElsewhereRequest, ofWholes isOfWholes: Bool = false,
        _ delivery: some InboxDelivery<Kept>,
        keeping keep: (_ source: any InboxSource<Self, Kept>, _ record: () -> KeyValueObservation) -> Void
    ) -> ChangeInbox<Kept> {
        if sources.count > 1 { for source in sources { source.check(of: self, request) } }
        let lanes = sources.map { $0.lane(of: self, request, ofWholes: isOfWholes) }
        let inbox = ChangeInbox(lanes, request.policy, request.options, ofWholes: isOfWholes, delivery)
        var observations: [KeyValueObservation] = []
        var targets: Set<ObjectIdentifier> = []
        let openings = sources.enumerated().map { lane, source -> InboxState<Kept>.Opening? in
            var opening: InboxState<Kept>.Opening?
            if !targets.isEmpty, let known = source.target(of: self), targets.contains(known) { return opening }
            keep(source) {
                let (observation, first) = source.record(on: self, inbox, lane: lane, request)
                opening = first
                observations.append(observation)
                return observation
            }
            if sources.count > 1, let target = source.target(of: self) { targets.insert(target) }
            return opening
        }
        inbox.open(for: observations, openings)
        return inbox
    }
}

/// Several key paths of an object whose changes share an inbox.
package struct SharedKeyPaths<Object: KeyValueObservable> {
    let sources: [any InboxSource<Object, any Sendable>]

    package init<each Value: Sendable>(_ keyPath: repeat KeyPath<Object, each Value>) {
        var sources: [any InboxSource<Object, any Sendable>] = []
        for keyPath in repeat each keyPath { sources.append(Self.source(keyPath)) }
        self.sources = sources
    }

    private static func source<Value: Sendable>(
        _ keyPath: KeyPath<Object, Value>
    ) -> any InboxSource<Object, any Sendable> {
        TypedInboxSource(.keyPath(keyPath), as: SharedForm<Value>())
    }
}
