// Observing the objects in a collection, as long as they are in it.

/// Registers at each object of a collection, and keeps the registration until the object is removed.
///
/// The token of the observation owns it as its keeper, and it owns the tokens of all registrations. The handlers hold
/// it weakly, and it holds the owner weakly.
final class EachElement<Owner: KeyValueObservable, Element: KeyValueObservable, Value>: @unchecked Sendable {
    typealias Change = KeyValueObservedChange<Value>

    /// The functions to call.
    struct Handlers {
        let change: (Owner, Element, Change) -> Void
        let arrival: ((Owner, Element) -> Void)?
        let departure: ((Owner, Element) -> Void)?

        init(
            change: @escaping (Owner, Element, Change) -> Void, arrival: ((Owner, Element) -> Void)?,
            departure: ((Owner, Element) -> Void)?
        ) {
            (self.change, self.arrival, self.departure) = (change, arrival, departure)
        }

        /// Creates handlers from those of users, which may belong to an actor.
        init(
            _ change: @escaping @isolated(any) (Owner, Element, Change) -> Void,
            _ arrival: (@isolated(any) (Owner, Element) -> Void)?,
            _ departure: (@isolated(any) (Owner, Element) -> Void)?
        ) {
            self.init(
                change: ActionHandler(change).call, arrival: arrival.map { ActionHandler($0).call },
                departure: departure.map { ActionHandler($0).call })
        }
    }

    /// The arguments of the registration at each element.
    struct Request {
        let keyPath: KeyPath<Element, Value>
        let options: KeyValueObservingOptions
        let isolation: (any Actor)?
        let fileID: StaticString
        let line: UInt
        /// The observer's type, for an observation that a controller makes.
        let observer: String?

        init(
            _ keyPath: KeyPath<Element, Value>, _ options: KeyValueObservingOptions, isolation: (any Actor)?,
            observer: String? = nil, _ fileID: StaticString, _ line: UInt
        ) {
            self.keyPath = keyPath
            self.options = options
            self.isolation = isolation
            self.observer = observer
            self.fileID = fileID
            self.line = line
        }
    }

    private weak let observed: Owner?
    let request: Request
    private let state: Guarded<State>
    /// The baton that the three handlers share.
    private let baton = Baton()

    private struct State {
        /// The handlers; nil once the observation has ended.
        var handlers: Handlers?
        var membership = Membership<Element>()
        /// The tokens of the members' registrations.
        var observations: [ObjectIdentifier: KeyValueObservation] = [:]
        /// The changes to follow, in their order; a nested change by a handler joins them.
        var waiting = WaitingLine<() -> Void>()
        /// The token of the registration at the collection, once it is made.
        var collection: KeyValueObservation?
        /// The observer of a controller that the token was stored in.
        var observer: ObserverLink?

        var hasEnded: Bool { handlers == nil }
    }

    init(of owner: Owner, _ request: Request, _ handlers: Handlers) {
        observed = owner
        self.request = request
        state = Guarded(State(handlers: handlers))
    }

    private var handlers: Handlers? { state.withLock { $0.handlers } }

    /// The object with the collection; also nil if the observer that the observation ends with has died.
    private var owner: Owner? { observer?.isGone ?? false ? nil : observed }

    private var observer: ObserverLink? { state.withLock { $0.observer } }

    /// Whether the observer has died, and the observation has ended with it.
    private var endsWithObserver: Bool { observer?.endIfGone() ?? false }

    /// Stores the token of the registration at the collection.
    func note(_ observation: KeyValueObservation) {
        let hasEnded = state.withLock { state in
            state.collection = observation
            return state.hasEnded
        }
        if hasEnded { observation.invalidate() }
    }

    // MARK: Arrivals and departures

    /// Follows a change of the collection, whose objects `elements` lists.
    func follow<Elements>(_ change: KeyValueObservedChange<Elements>, _ elements: (Elements) -> [Element]) {
        let (old, new) = (change.oldValue.map(elements) ?? [], change.newValue.map(elements) ?? [])
        let step = state.withLock { state -> Membership<Element>.Step in
            guard !state.hasEnded else { return Membership.Step() }
            let step = state.membership.follow(change.kind, old, new)
            for element in step.left { state.waiting.append { [self] in leave(element) } }
            for element in step.arrived { state.waiting.append { [self] in arrive(element) } }
            return step
        }
        // Even if changes are nested, objects are followed in the order in which they are inserted and removed.
        while let follow = state.withLock({ $0.hasEnded ? nil : $0.waiting.popFirst() }) { follow() }
        withExtendedLifetime(step) {}
    }

    private func leave(_ element: Element) {
        state.withLock { $0.observations.removeValue(forKey: ObjectIdentifier(element)) }?.invalidate()
        if call({ $0.departure }, with: element) { baton.layDown() }
    }

    /// Calls the handler of an arrival, and then observes the element, so that its changes come later.
    ///
    /// If the call has to wait, the element is observed at once, and its changes wait, too.
    private func arrive(_ element: Element) {
        let isTaken = call({ $0.arrival }, with: element)
        observe(element)
        if isTaken { baton.layDown() }
    }

    /// Calls the handler of an arrival or a departure, if there is one, or hands the call to the current holder of the
    /// baton.
    ///
    /// - Returns: Whether the baton was taken, so that the caller must lay it down.
    private func call(
        _ handler: @escaping (Handlers) -> ((Owner, Element) -> Void)?, with element: Element
    ) -> Bool {
        guard !endsWithObserver, let owner, handlers.flatMap(handler) != nil else { return false }
        if baton.take() {
            handlers.flatMap(handler)?(owner, element)
            return true
        }
        baton.handOver(Baton.Call(of: owner) { [self] in handlers.flatMap(handler)?(owner, element) })
        return false
    }

    private func observe(_ element: Element) {
        // The handler may have removed the element, or ended the observation.
        guard let owner, state.withLock({ !$0.hasEnded && $0.membership.contains(element) }) else { return }
        let link = WeakReference(self)
        let observation = element.register(
            ObservedSubject.keyPath(request.keyPath),
            BatonRegistration<Element, Value>(sharing: baton) { link.object?.pass($1, of: $0) },
            BatonRegistration<Element, Value>.request(
                request.options, observer: request.observer ?? TypeName.of(owner), isolation: request.isolation,
                request.fileID, request.line))
        // Another thread may have removed the element meanwhile, or ended the observation.
        let outdated = state.withLock { state -> KeyValueObservation? in
            guard !state.hasEnded, state.membership.contains(element) else { return observation }
            return state.observations.updateValue(observation, forKey: ObjectIdentifier(element))
        }
        outdated?.invalidate()
    }

    private func pass(_ change: Change, of element: Element) {
        let (handlers, observer) = state.withLock {
            ($0.membership.contains(element) ? $0.handlers : nil, $0.observer)
        }
        if observer?.endIfGone() ?? false { return }
        if let observed { handlers?.change(observed, element, change) }
    }

    // MARK: The end

    func end() {
        let last = state.withLock { state in
            defer { state = State() }
            return state
        }
        last.collection?.invalidate()
        for observation in last.observations.values { observation.invalidate() }
    }
}

extension EachElement: RegistrationKeeper {
    func remove(_: RegistrationNumber) { end() }

    /// Only changes of the elements are ignored; arrivals and departures are still followed.
    func registrations(_: RegistrationNumber) -> [Registration] {
        state.withLock { Array($0.observations.values) }.flatMap(\.registrations)
    }

    var keyPath: AnyKeyPath? { state.withLock { $0.collection }?.keyPath }

    var target: ObjectIdentifier { state.withLock { $0.collection }?.target ?? ObjectIdentifier(self) }

    var hasEnded: Bool {
        let (hasEnded, collection) = state.withLock { ($0.hasEnded, $0.collection) }
        return hasEnded || owner == nil || collection?.isInvalidated ?? false
    }

    var objects: [AnyObject] { owner.map { [$0] } ?? [] }

    func end(_: RegistrationNumber, with observer: ObserverLink) {
        let collection = state.withLock { state in
            state.observer = observer
            return state.collection
        }
        collection?.end(with: observer)
    }
}

/// A handler's reference to an observation of elements, which ends when the handler is released with its object.
final class EachElementLink<Owner: KeyValueObservable, Element: KeyValueObservable, Value> {
    private(set) weak var each: EachElement<Owner, Element, Value>?

    init(_ each: EachElement<Owner, Element, Value>) {
        self.each = each
    }

    deinit {
        each?.end()
    }
}
