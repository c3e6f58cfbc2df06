// The source of a sequence, which registers when the sequence is consumed.

/// The source of a sequence.
protocol SequenceSource<Element>: AnyObject, Sendable {
    associatedtype Element: Sendable

    /// The name of the observed key paths, for messages.
    func name(_ request: SequenceRequest) -> String

    /// Makes the registrations, which fill an inbox for a delivery.
    ///
    /// - Returns: The inbox, and the token of the registrations; nil if the object has died.
    func fill(
        _ request: SequenceRequest, for delivery: any InboxDelivery
    ) -> (inbox: Inbox, observation: KeyValueObservation)?

    /// Makes an element from a change of the inbox.
    var element: @Sendable (TakenChange) -> Element { get }
}

/// The settings of a sequence.
struct SequenceRequest {
    var policy = KeyValueBufferingPolicy.unbounded
    var label: String?
    /// Whether values that equal the one before are dropped.
    var removesDuplicates = false
    /// The actor that the object belongs to, if that is known.
    weak let isolation: (any Actor)?
    let fileID: StaticString
    let line: UInt

    init(_ isolation: (any Actor)? = nil, _ fileID: StaticString, _ line: UInt) {
        (self.isolation, self.fileID, self.line) = (isolation, fileID, line)
    }
}

/// Key paths or an expression of an object, and the function that makes elements from their changes.
final class ObservedSource<Object: KeyValueObservable, Element: Sendable>: SequenceSource, @unchecked Sendable {
    private let reference: RootReference<Object>
    private let lanes: [any InboxLane<Object>]
    private let options: KeyValueObservingOptions
    private let isOfWholes: Bool
    let element: @Sendable (TakenChange) -> Element

    /// Creates a source, whose elements are made from the whole value if `isOfWholes`; traps if the object cannot be
    /// observed with the options.
    init(
        _ object: Object, _ lanes: [any InboxLane<Object>], _ options: KeyValueObservingOptions,
        ofWholes isOfWholes: Bool = false, _ request: SequenceRequest,
        _ element: @escaping @Sendable (TakenChange) -> Element
    ) {
        reference = RootReference(object)
        (self.lanes, self.options, self.isOfWholes, self.element) = (lanes, options, isOfWholes, element)
        if options.contains(.prior) {
            fatalError(
                """
                A sequence of \(name(request)) cannot be asked for with .prior: when an element is handled, the \
                change has been made. Leave out .prior, or use observe(_:options:changeHandler:), which calls its handler \
                before the change.
                """, file: request.fileID, line: request.line)
        }
    }

    func name(_ request: SequenceRequest) -> String {
        let object = reference.object
        return "\(object.map { lanes[0].name(in: $0, request) } ?? lanes[0].name) of \(TypeName.text(of: Object.self))"
    }

    func fill(
        _ request: SequenceRequest, for delivery: any InboxDelivery
    ) -> (inbox: Inbox, observation: KeyValueObservation)? {
        guard let object = reference.object else { return nil }
        request.isolation?.checkIsCurrent(request.fileID, request.line) {
            messageOfIsolation(object, request, delivery.name)
        }
        let options = request.removesDuplicates ? options.union(.distinct) : options
        // All key paths are checked before the first is registered.
        if lanes.count > 1 { for lane in lanes { _ = lane.name(in: object, request) } }
        let inbox = Inbox(
            lanes.map { $0.needs(in: object, request, options, ofWholes: isOfWholes) }, request.policy,
            ofWholes: isOfWholes, for: delivery)
        var recorded: [InboxRegistration.Recorded] = []
        var tokens: [KeyValueObservation] = []
        var targets: Set<ObjectIdentifier> = []
        let openings = lanes.enumerated().map { number, lane -> InboxState.Opening? in
            // A key path in the list twice counts once.
            if !targets.isEmpty, let known = lane.target(in: object), targets.contains(known) { return nil }
            let new = lane.record(request, options, for: delivery.name, on: object, inbox, lane: number)
            recorded.append(new)
            tokens.append(KeyValueObservation(new.number, in: InboxKeeper(new.keeper, inbox, lane: number)))
            if lanes.count > 1, let target = lane.target(in: object) { targets.insert(target) }
            return new.opening
        }
        inbox.open(for: recorded.map { ($0.keeper, $0.number) }, openings)
        return (inbox, tokens.count == 1 ? tokens[0] : KeyValueObservation(tokens))
    }

    private func messageOfIsolation(_ object: Object, _ request: SequenceRequest, _ recipient: String) -> String {
        """
        \(lanes.map { $0.name(in: object, request) }.joined(separator: ", ")) of \(TypeName.of(object)) belongs to \
        \(request.isolation.map { TypeName.of($0) } ?? ""), and the sequence that was asked for at \
        \(request.fileID):\(request.line) was taken outside it, by a \(recipient). Iterate, or call deliver, in that \
        actor, and send the values on from there.
        """
    }
}
