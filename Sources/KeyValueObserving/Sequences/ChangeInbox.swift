// What waits until it is handled elsewhere.

/// What a delivery takes its elements from.
protocol Inbox<Element>: AnyObject, Sendable {
    associatedtype Element: Sendable

    /// Takes the next element, right where it is handled: none is returned after the registration was ended there.
    func next() -> InboxNext<Element>

    /// Ends the registration: the recipient is gone.
    func abandon()

    var droppedCount: Int { get }
}

enum InboxNext<Element> {
    /// An element, and the number of the event of which it was put there.
    case element(Element, event: EngineTrace.EventNumber)
    case nothing
    case over
}

extension Inbox {
    /// Takes the next element, and calls its handler; false if nothing waits.
    func deliverNext(to handler: (Element) -> Void) -> Bool {
        guard case .element(let element, let event) = next() else { return false }
        if event.isReported, EngineTrace.isOn {
            EngineTrace.during({ $0.begin(.taken, of: nil, nil, cause: event) }, { handler(element) })
        } else {
            handler(element)
        }
        return true
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

    /// Reports that an element was taken out, to be handled where nothing is known of its end.
    static func noteTaking(_ event: EventNumber) {
        guard event.isReported, isOn, let tracer = current else { return }
        tracer.end(tracer.begin(.taken, of: nil, nil, cause: event))
    }
}

/// An inbox: bounded, in order, and emptied by one task at a time.
///
/// Registrations fill it, each through its lane. It ends with the token; when the object dies, what waits is delivered.
final class ChangeInbox<Value: Sendable, Element: Sendable>: Inbox, @unchecked Sendable {
    private let contents: Guarded<Contents>
    private let options: KeyValueObservingOptions
    /// What is kept of each change, which may be more than the handler asked for.
    private let kept: KeyValueObservingOptions
    /// What is kept for each lane.
    let needs: [InboxNeeds<Value>]
    private let element: @Sendable (KeyValueObservedChange<Value>) -> Element

    private struct Contents {
        var state: InboxState<Value>
        /// Nil once the inbox has ended.
        var delivery: (any InboxDelivery<Element>)?
        var tokens: [WeakReference<KeyValueObservation>] = []
    }

    init(
        _ needs: [InboxNeeds<Value>], _ request: SequenceRequest,
        _ element: @escaping @Sendable (KeyValueObservedChange<Value>) -> Element,
        _ delivery: some InboxDelivery<Element>
    ) {
        self.needs = needs
        self.element = element
        options = request.options
        let keepsLastValue = needs.map(\.keepsLastValue)
        kept = keepsLastValue.contains(true) ? options.union(.new) : options
        let state = InboxState<Value>(request.policy, ofWholes: request.isOfWholes, keepingLastValue: keepsLastValue)
        contents = Guarded(Contents(state: state, delivery: delivery))
    }

    /// Adds a change, on the thread that made it.
    func add(_ change: KeyValueObservedChange<Value>, whole: Value?, in lane: Int) {
        let change = change.limited(to: kept)
        let event = EngineTrace.isOn ? EngineTrace.noteInbox() : .unreported
        let (addition, delivery) = contents.withLock {
            ($0.state.add(change, whole: whole, in: lane, event: event), $0.delivery)
        }
        if let delivery, delivery.hasRecipient {
            if addition.begins { delivery.begin(self) }
        } else {
            abandon()
        }
        withExtendedLifetime(addition) {}
    }

    /// Lets the delivery begin: the registrations have been made.
    func open(for observations: [KeyValueObservation], _ openings: [InboxState<Value>.Opening?]) {
        let (addition, delivery) = contents.withLock { contents in
            contents.tokens = observations.map { WeakReference($0) }
            return (contents.state.open(openings), contents.delivery)
        }
        if addition.begins { delivery?.begin(self) }
        withExtendedLifetime(addition) {}
    }

    func next() -> InboxNext<Element> {
        while true {
            switch contents.withLock({ $0.state.take() }) {
            case .change(let change, let entry, let lastValue):
                if let change = differing(change, of: entry, from: lastValue) {
                    return .element(element(change), event: entry.event)
                }
                contents.withLock { $0.state.skip(in: entry.lane) }
            case .nothing: return .nothing
            case .over:
                end()
                return .over
            }
        }
    }

    /// A change as it is delivered; nil if its value equals the one that was delivered last.
    private func differing(
        _ change: KeyValueObservedChange<Value>, of entry: InboxState<Value>.Entry, from lastValue: Value?
    ) -> KeyValueObservedChange<Value>? {
        guard let equality = needs[entry.lane].equality, !entry.isInitial, change.kind == .setting,
            let lastValue = lastValue ?? change.oldValue,
            let value = entry.valueAfter
        else { return change.limited(to: options) }
        if equality.areEqual(lastValue, value) { return nil }
        return KeyValueObservedChange(
            kind: .setting, newValue: value, oldValue: lastValue, edit: change.edit, isPrior: false,
            origin: change.origin
        ).limited(to: options)
    }

    func abandon() {
        let tokens = contents.withLock { $0.tokens }
        end()
        for token in tokens { token.object?.invalidate() }
    }

    /// Ends one of the registrations, and the inbox with the last of them.
    func end(lane: Int) {
        let (addition, isLast) = contents.withLock { contents in
            (contents.state.end(lane: lane), contents.state.lanes.allSatisfy(\.hasEnded))
        }
        if isLast { end() }
        withExtendedLifetime(addition) {}
    }

    /// Ends the inbox: nothing more is delivered.
    func end() {
        let (last, delivery) = contents.withLock { ($0.state.end(), $0.delivery.take()) }
        delivery?.end()
        withExtendedLifetime(last) {}
    }

    /// Ends the inbox when what waits has been delivered, unless a registration ended before: the object is gone.
    func finish(lane: Int) {
        if contents.withLock({ !$0.state.lanes[lane].hasEnded && $0.state.finish() }) { end() }
    }

    var isAbandoned: Bool {
        let (hasEnded, delivery) = contents.withLock { ($0.state.hasEnded, $0.delivery) }
        return hasEnded || !(delivery?.hasRecipient ?? false)
    }

    var droppedCount: Int { contents.withLock { $0.state.lanes.reduce(0) { $0 + $1.droppedCount } } }

    /// How often the handler has been called for a registration, and how many changes of it were dropped.
    func counts(in lane: Int) -> (delivered: Int, dropped: Int) {
        contents.withLock { ($0.state.lanes[lane].deliveredCount, $0.state.lanes[lane].droppedCount) }
    }
}
