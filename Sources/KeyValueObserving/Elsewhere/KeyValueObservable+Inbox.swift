// Registering what is delivered elsewhere.

extension KeyValueObservable {
    /// Registers what is delivered elsewhere.
    ///
    /// - Parameters:
    ///   - sources: What to observe; at least one.
    ///   - options: What is asked for.
    ///   - policy: How many changes may wait.
    ///   - isOfWholes: Whether each change is to have the whole value.
    ///   - fileID: Where it is made.
    ///   - line: Where it is made.
    ///   - delivery: Takes the changes.
    /// - Returns: A token for all of them.
    func deliver<Kept: Sendable, Recipient: InboxDelivery<Kept>>(
        _ sources: [any InboxSource<Self, Kept>], _ options: KeyValueObservingOptions,
        _ policy: KeyValueBufferingPolicy, ofWholes isOfWholes: Bool = false, _ fileID: StaticString, _ line: UInt,
        to delivery: Recipient
    ) -> KeyValueObservation {
        let request = ElsewhereRequest(to: Recipient.name, options, policy, of: sources, in: self, fileID, line)
        return registerInbox(sources, request, ofWholes: isOfWholes, delivery).observation
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
        if sources.count > 1 { for source in sources { _ = source.name(in: self, request.fileID, request.line) } }
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
