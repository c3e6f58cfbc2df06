// The buffer of changes for another executor.

/// A bounded and ordered buffer of changes, consumed by one task at a time.
///
/// Registrations fill it, each through its lane. It ends with the token; when the object dies, the waiting changes are
/// delivered. It does not know the types of their values; `BoxedChange` does.
final class Inbox: Sendable {
    /// The needs of each lane.
    let needs: [InboxNeeds]
    private let isOfWholes: Bool
    private let contents: Guarded<Contents>

    private struct Contents {
        var state: InboxState
        /// The delivery; nil once the inbox has ended.
        var delivery: (any InboxDelivery)?
        /// The observer that the registrations end with.
        var observer: ObserverLink?
        /// The keepers of the registrations.
        var registrations: [(keeper: any RegistrationKeeper, number: RegistrationNumber)] = []
    }

    init(
        _ needs: [InboxNeeds], _ policy: KeyValueBufferingPolicy, ofWholes isOfWholes: Bool,
        for delivery: any InboxDelivery
    ) {
        self.needs = needs
        self.isOfWholes = isOfWholes
        let state = InboxState(policy, ofWholes: isOfWholes, keepingLast: needs.map(\.keepsLast))
        contents = Guarded(Contents(state: state, delivery: delivery))
    }

    // MARK: Adding changes

    /// Adds a change, on the thread that made it.
    func add(_ change: WaitingChange, in lane: Int) {
        if isCompared(change, in: lane), let newest = contents.withLock({ $0.state.newest(in: lane) }),
            areEqual(newest, change, in: lane)
        {
            return
        }
        let event = EngineTrace.isOn ? EngineTrace.noteInbox() : .unreported
        let (addition, delivery) = contents.withLock {
            ($0.state.add(change, in: lane, event: event), $0.delivery)
        }
        if let delivery, delivery.hasRecipient {
            if addition.begins { delivery.begin(self) }
            if addition.overflows { removeRegistrations() }
        } else {
            abandon()
        }
        withExtendedLifetime(addition) {}
    }

    /// Lets the delivery begin, after the registrations were made.
    func open(
        for registrations: [(keeper: any RegistrationKeeper, number: RegistrationNumber)],
        _ openings: [InboxState.Opening?]
    ) {
        let (addition, delivery) = contents.withLock { contents in
            contents.registrations = registrations
            return (contents.state.open(openings), contents.delivery)
        }
        withExtendedLifetime(addition) {}
        // The inbox may have ended meanwhile.
        guard let delivery else { return abandon() }
        if addition.begins { delivery.begin(self) }
        if addition.overflows { removeRegistrations() }
    }

    /// Whether a change is dropped if its value equals the one before it.
    private func isCompared(_ change: WaitingChange, in lane: Int) -> Bool {
        needs[lane].areEqual != nil && (isOfWholes || !change.isOfElements)
    }

    private func areEqual(_ left: WaitingChange, _ right: WaitingChange, in lane: Int) -> Bool {
        needs[lane].areEqual?(left, right) ?? false
    }

    // MARK: Consuming changes

    enum Next {
        case change(TakenChange)
        case nothing
        case over
    }

    /// Removes the next change, on the executor that handles it; none is returned after the registration was ended on
    /// that executor.
    func next() -> Next {
        while true {
            let (observer, taken) = contents.withLock { ($0.observer, $0.state.take()) }
            if observer?.endIfGone() ?? false { return .over }
            switch taken {
            case .change(let entry, after: let last, asWhole: let isWhole):
                guard let last, !entry.isInitial, isCompared(entry.change, in: entry.lane) else {
                    return .change(TakenChange(entry, after: last, asWhole: isWhole))
                }
                if !areEqual(last, entry.change, in: entry.lane) {
                    return .change(TakenChange(entry, after: last, asWhole: true))
                }
                contents.withLock { $0.state.skip(in: entry.lane) }
            case .nothing: return .nothing
            case .over:
                end()
                return .over
            }
        }
    }

    /// Removes the next change, and calls its handler; false if no change waits.
    func deliverNext(to handler: (TakenChange) -> Void) -> Bool {
        guard case .change(let change) = next() else { return false }
        if change.event.isReported, EngineTrace.isOn {
            EngineTrace.during({ $0.begin(.taken, of: nil, nil, cause: change.event) }, { handler(change) })
        } else {
            handler(change)
        }
        return true
    }

    // MARK: The end

    /// Makes the registrations end with an observer.
    func end(with observer: ObserverLink) { contents.withLock { $0.observer = observer } }

    /// Ends the registrations, because the recipient has died.
    func abandon() {
        for (keeper, number) in end() { keeper.remove(number) }
    }

    /// Ends the registrations; waiting changes are still delivered.
    private func removeRegistrations() {
        let registrations = contents.withLock { contents in
            defer { contents.registrations = [] }
            return contents.registrations
        }
        for (keeper, number) in registrations { keeper.remove(number) }
    }

    /// Ends one of the registrations, and the inbox with the last of them.
    func end(lane: Int) {
        let (addition, isLast) = contents.withLock { contents in
            (contents.state.end(lane: lane), contents.state.lanes.allSatisfy(\.hasEnded))
        }
        if isLast { end() }
        withExtendedLifetime(addition) {}
    }

    /// Ends the inbox; nothing more is delivered.
    ///
    /// - Returns: The former registrations.
    @discardableResult
    private func end() -> [(keeper: any RegistrationKeeper, number: RegistrationNumber)] {
        let last = contents.withLock { contents in
            defer { contents.registrations = [] }
            return Contents(
                state: contents.state.end(), delivery: contents.delivery.take(), observer: contents.observer,
                registrations: contents.registrations)
        }
        last.delivery?.end()
        return last.registrations
    }

    /// Ends the inbox after the delivery of waiting changes, because the object has died; does nothing if a
    /// registration ended before.
    func finish(lane: Int) {
        if contents.withLock({ !$0.state.lanes[lane].hasEnded && $0.state.finish() }) { end() }
    }

    var isAbandoned: Bool {
        let (hasEnded, delivery, observer) = contents.withLock { ($0.state.hasEnded, $0.delivery, $0.observer) }
        return hasEnded || !(delivery?.hasRecipient ?? false) || observer?.isGone ?? false
    }

    var hasOverflowed: Bool { contents.withLock { $0.state.hasOverflowed } }

    var droppedCount: Int { contents.withLock { $0.state.lanes.reduce(0) { $0 + $1.droppedCount } } }

    /// How often the handler has been called for a registration, and how many changes of it were dropped.
    func counts(in lane: Int) -> (delivered: Int, dropped: Int) {
        contents.withLock { ($0.state.lanes[lane].deliveredCount, $0.state.lanes[lane].droppedCount) }
    }
}

extension EngineTrace {
    @inline(never)
    fileprivate static func noteInbox() -> EventNumber {
        guard let tracer = current else { return .unreported }
        let event = tracer.begin(.inbox, of: nil, nil, cause: cause)
        tracer.end(event)
        return event
    }

    /// Reports that a change was consumed by code whose end is unknown.
    static func noteTaking(_ event: EventNumber) {
        guard event.isReported, isOn, let tracer = current else { return }
        tracer.end(tracer.begin(.taken, of: nil, nil, cause: event))
    }
}
