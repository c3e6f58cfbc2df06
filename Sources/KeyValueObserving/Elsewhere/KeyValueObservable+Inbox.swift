// Registering what is delivered elsewhere.

extension KeyValueObservable {
    /// Registers what is delivered elsewhere; the token is one for all.
    func deliver<Kept: Sendable, Recipient: InboxDelivery<Kept>>(
        _ sources: InboxSources<Self, Kept>, _ content: InboxContent, _ policy: KeyValueBufferingPolicy,
        _ fileID: StaticString, _ line: UInt, to delivery: Recipient
    ) -> KeyValueObservation {
        let request = ElsewhereRequest(to: Recipient.name, content, policy, of: sources, in: self, fileID, line)
        return registerInbox(sources, request, delivery).observation
    }

    /// Makes registrations that share an inbox.
    ///
    /// All are checked before the first is made. What is there twice counts once.
    ///
    /// - Returns: A token for all of them, and the inbox.
    func registerInbox<Kept: Sendable>(
        _ sources: InboxSources<Self, Kept>, _ request: ElsewhereRequest, _ delivery: some InboxDelivery<Kept>
    ) -> (observation: KeyValueObservation, inbox: ChangeInbox<Kept>) {
        var observations: [KeyValueObservation] = []
        let inbox = fillInbox(of: sources, request, delivery) { _, record in observations.append(record()) }
        return (observations.count == 1 ? observations[0] : KeyValueObservation(observations), inbox)
    }

    /// The same for registrations whose tokens are kept elsewhere.
    ///
    /// `keep` is called with each source, once, and with what makes its registration; it may leave that out.
    func fillInbox<Kept: Sendable>(
        of sources: InboxSources<Self, Kept>, _ request: ElsewhereRequest, _ delivery: some InboxDelivery<Kept>,
        keeping keep: (_ source: any InboxSource<Self, Kept>, _ record: () -> KeyValueObservation) -> Void
    ) -> ChangeInbox<Kept> {
        let isOfSeveral = sources.all.count > 1
        if isOfSeveral { for source in sources.all { _ = source.name(in: self, request.fileID, request.line) } }
        let inbox = ChangeInbox(sources.all.map { $0.lane(of: self, request) }, request, delivery)
        var observations: [KeyValueObservation] = []
        var targets: Set<ObjectIdentifier> = []
        let openings = sources.all.enumerated().map { lane, source -> InboxState<Kept>.Opening? in
            var opening: InboxState<Kept>.Opening?
            if !targets.isEmpty, let known = source.target(of: self), targets.contains(known) { return opening }
            keep(source) {
                let (observation, first) = source.record(on: self, inbox, lane: lane, request)
                opening = first
                observations.append(observation)
                return observation
            }
            if isOfSeveral, let target = source.target(of: self) { targets.insert(target) }
            return opening
        }
        inbox.open(for: observations, openings)
        return inbox
    }
}
