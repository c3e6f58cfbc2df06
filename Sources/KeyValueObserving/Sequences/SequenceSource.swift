// What a sequence is of, and how it is registered when it is taken.

/// What a sequence is of.
protocol SequenceSource<Element>: AnyObject, Sendable {
    associatedtype Element: Sendable

    /// What a controller keeps the tokens of a registration with.
    typealias Keeper = (registrations: ControllerRegistrations, observer: AnyObject)

    /// Registers what is observed, and fills an inbox for a delivery to a recipient, which is named in listings.
    ///
    /// - Returns: The inbox, and the tokens of what was registered; nil if the object is gone.
    func fill(
        for delivery: some InboxDelivery<Element>, of recipient: String, by controller: Keeper?
    ) -> (inbox: any Inbox<Element>, observations: [KeyValueObservation])?
}

extension SequenceSource {
    func deliver<Delivery: InboxDelivery<Element>>(to delivery: Delivery) -> KeyValueObservation {
        KeyValueObservation(fill(for: delivery, of: Delivery.name, by: nil)?.observations ?? [])
    }

    func deliver<Observer: Sendable, Delivery: InboxDelivery<Element>>(
        by controller: KVOController<Observer>, to delivery: (ObserverLink<Observer>) -> Delivery
    ) {
        guard let observer = controller.observer else { return }
        _ = fill(
            for: delivery(ObserverLink(observer, controller.registrations)),
            of: "\(Delivery.name) for \(TypeName.text(of: Observer.self))", by: (controller.registrations, observer))
    }
}

/// What is asked for when a sequence is made.
struct SequenceRequest {
    private(set) var options: KeyValueObservingOptions = []
    /// Whether each element is to have the whole value.
    private(set) var isOfWholes = false
    let policy: KeyValueBufferingPolicy
    let label: String?
    /// The actor that the object belongs to, if that is known.
    weak let isolation: (any Actor)?
    let fileID: StaticString
    let line: UInt

    init(
        _ policy: KeyValueBufferingPolicy, _ label: String?, _ isolation: (any Actor)?, _ fileID: StaticString,
        _ line: UInt
    ) {
        (self.policy, self.label, self.isolation, self.fileID, self.line) = (policy, label, isolation, fileID, line)
    }

    func asking(for options: KeyValueObservingOptions, ofWholes isOfWholes: Bool = false) -> Self {
        var request = self
        (request.options, request.isOfWholes) = (options, isOfWholes)
        return request
    }
}

/// Key paths or an expression of an object, and what is made of their changes.
final class ObservedSource<Object: KeyValueObservable, Kept: Sendable, Element: Sendable>: SequenceSource,
    @unchecked Sendable
{
    private let reference: RootReference<Object>
    private let lanes: [any InboxLane<Object, Kept>]
    private let request: SequenceRequest
    private let element: @Sendable (KeyValueObservedChange<Kept>) -> Element

    /// Creates a source; traps if the request cannot be fulfilled.
    init(
        _ object: Object, _ lanes: [any InboxLane<Object, Kept>], _ request: SequenceRequest,
        _ element: @escaping @Sendable (KeyValueObservedChange<Kept>) -> Element
    ) {
        reference = RootReference(object)
        (self.lanes, self.request, self.element) = (lanes, request, element)
        var subject: String { "\(lanes[0].name(in: object, request)) of \(TypeName.of(object))" }
        if request.options.contains(.prior) {
            fatalError(
                """
                A sequence of \(subject) cannot be asked for with .prior: when an element is handled, the change has been \
                made. Leave out .prior, or use observe(_:options:changeHandler:), which calls its handler before \
                the change.
                """, file: request.fileID, line: request.line)
        }
        if let bound = request.policy.bound, bound < 1 {
            fatalError(
                """
                A sequence of \(subject) cannot have the buffering policy \(request.policy): at least 1 change must be \
                able to wait. Use .newest(1) or .oldest(1), or .unbounded.
                """, file: request.fileID, line: request.line)
        }
    }

    func fill(
        for delivery: some InboxDelivery<Element>, of recipient: String, by controller: Keeper?
    ) -> (inbox: any Inbox<Element>, observations: [KeyValueObservation])? {
        guard let object = reference.object else { return nil }
        request.isolation?.checkIsCurrent(request.fileID, request.line) { messageOfIsolation(object, recipient) }
        // All are checked before the first is registered.
        if lanes.count > 1 { for lane in lanes { _ = lane.name(in: object, request) } }
        let inbox = ChangeInbox(lanes.map { $0.needs(in: object, request) }, request, element, delivery)
        var observations: [KeyValueObservation] = []
        var targets: Set<ObjectIdentifier> = []
        let openings = lanes.enumerated().map { number, lane -> InboxState<Kept>.Opening? in
            var opening: InboxState<Kept>.Opening?
            // What is there twice counts once.
            if !targets.isEmpty, let known = lane.target(in: object), targets.contains(known) { return opening }
            let request = lane.request(self.request, needing: inbox.needs[number].values, for: recipient)
            func record() -> KeyValueObservation {
                let (observation, first) = lane.record(request, on: object, inbox, lane: number)
                opening = first
                if let label = self.request.label { observation.label = label }
                observations.append(observation)
                return observation
            }
            if let (registrations, observer) = controller {
                _ = registrations.add(
                    object, at: { lane.target(in: object) }, request, retaining: object === observer ? nil : object,
                    record: record)
            } else {
                _ = record()
            }
            if lanes.count > 1, let target = lane.target(in: object) { targets.insert(target) }
            return opening
        }
        inbox.open(for: observations, openings)
        return (inbox, observations)
    }

    private func messageOfIsolation(_ object: Object, _ recipient: String) -> String {
        """
        \(lanes.map { $0.name(in: object, request) }.joined(separator: ", ")) of \(TypeName.of(object)) belongs to \
        \(request.isolation.map { TypeName.of($0) } ?? ""), and the sequence that was asked for at \
        \(request.fileID):\(request.line) was taken outside it, by a \(recipient). Iterate, or call deliver, in that \
        actor, and send the values on from there.
        """
    }
}
