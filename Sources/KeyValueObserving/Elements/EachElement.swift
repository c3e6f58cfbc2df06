// The objects in a collection, as long as they are in it.

/// Registers at each object of a collection, and keeps the registration until the object has left.
///
/// The token of the observation owns it, as what keeps its registration; it owns the tokens of all registrations. The
/// handlers hold it weakly, and so it holds the owner.
final class EachElement<Owner: KeyValueObservable, Element: KeyValueObservable, Value>: @unchecked Sendable {
    typealias Change = KeyValueObservedChange<Value>

    /// What is called.
    struct Handlers {
        let change: (Owner, Element, Change) -> Void
        let arrival: ((Owner, Element) -> Void)?
        let departure: ((Owner, Element) -> Void)?
    }

    /// What is asked for at each element.
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

    private weak let owner: Owner?
    let request: Request
    private let handlers: Handlers
    private let state = Guarded(State())

    private struct State {
        var membership = Membership<Element>()
        /// The tokens of the members' registrations.
        var observations: [ObjectIdentifier: KeyValueObservation] = [:]
        /// Those whose arrival is still to be called.
        var arriving: Set<ObjectIdentifier> = []
        /// What is to be called, in this order; a change that a handler makes meanwhile finds the rest here.
        var waiting = WaitingLine<() -> Void>()
        /// The changes that wait for the arrivals of their elements, in their order.
        var held: [HeldChange] = []
        /// The token of the registration at the collection, once it is made.
        var collection: KeyValueObservation?
        /// Whether a change of the collection was followed.
        var hasFollowed = false
        var hasEnded = false
    }

    init(of owner: Owner, _ request: Request, _ handlers: Handlers) {
        self.owner = owner
        self.request = request
        self.handlers = handlers
    }

    /// Notes the token of the registration at the collection.
    func note(_ observation: KeyValueObservation) {
        let hasEnded = state.withLock { state in
            state.collection = observation
            return state.hasEnded
        }
        if hasEnded { observation.invalidate() }
    }

    // MARK: Coming and going

    /// Whether the next change of the collection has to bring the whole collection: another thread may have made it before
    /// the first elements were read.
    var needsWhole: Bool { state.withLock { !$0.hasFollowed } }

    /// Follows a change of the collection.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - new: The elements after the change, or those that were put in.
    ///   - old: Those that were taken out.
    ///   - isFirst: Whether these are the elements that are there at first, which count unless a change was followed.
    func follow(_ kind: KeyValueChange, new: [Element], old: [Element], isFirst: Bool = false) {
        let (arrived, left) = state.withLock { state -> ([Element], [(Element, KeyValueObservation?)]) in
            guard !state.hasEnded, !(isFirst && state.hasFollowed) else { return ([], []) }
            state.hasFollowed = !isFirst
            let step = kind == .setting ? state.membership.replace(with: new) : state.membership.exchange(old, for: new)
            for element in step.arrived { state.arriving.insert(ObjectIdentifier(element)) }
            return (
                step.arrived, step.left.map { ($0, state.observations.removeValue(forKey: ObjectIdentifier($0))) }
            )
        }
        for (element, observation) in left {
            observation?.invalidate()
            enqueue { [self] in owner.map { handlers.departure?($0, element) } }
        }
        for element in arrived { observe(element) }
        callWaiting()
    }

    private func observe(_ element: Element) {
        let link = WeakReference(self)
        let subject = ObservedSubject<Element, Value>.keyPath(request.keyPath)
        let (observation, begin) = element.record(
            subject,
            TypedRegistration<Element, Value> { element, change in link.object?.pass(change, of: element) },
            RegistrationRequest(
                request.options, observer: request.observer ?? owner.map { TypeName.of($0) },
                isolation: request.isolation,
                request.fileID, request.line,
                notifier: { TypedRegistration<Element, Value>.notify($0) }))
        let isWanted = state.withLock { state in
            guard !state.hasEnded, state.membership.contains(element) else {
                state.arriving.remove(ObjectIdentifier(element))
                return false
            }
            state.observations[ObjectIdentifier(element)] = observation
            return true
        }
        if !isWanted { observation.invalidate() }
        enqueue { [self] in
            if isWanted { callArrival(of: element) }
            // One that has ended is not called, but lets go of the changes that were kept for it.
            if request.options.contains(.initial) { begin() }
        }
    }

    // MARK: Calling

    /// A change that waits for the arrival of its element, which is called on the thread that makes the change.
    private final class HeldChange {
        let change: Change
        let element: Element
        let thread = ThisThread.number

        init(_ change: Change, of element: Element) {
            self.change = change
            self.element = element
        }
    }

    private func pass(_ change: Change, of element: Element) {
        // It may change before its registration is noted, on another thread; and the observation may have ended by then.
        guard let (isArriving, isOneHeld) = standing(of: element) else { return }
        if isArriving {
            let held = HeldChange(change, of: element)
            state.withLock { $0.held.append(held) }
        }
        if isArriving || isOneHeld {
            // They come before what the handlers of their arrivals change.
            callHeld()
            guard !isArriving, standing(of: element) != nil else { return }
        }
        if let owner { handlers.change(owner, element, change) }
    }

    /// Calls the handlers of the changes that wait on this thread, in their order, each after the arrival of its element.
    private func callHeld() {
        let thread = ThisThread.number
        while let next = state.withLock({ $0.held.first { $0.thread == thread } }) {
            callWaiting()
            callArrival(of: next.element)
            // What was called may have called it, ended the observation, or taken the element out.
            let isDue = state.withLock { state in
                guard let index = state.held.firstIndex(where: { $0 === next }) else { return false }
                state.held.remove(at: index)
                return state.membership.contains(next.element)
            }
            if isDue, let owner { handlers.change(owner, next.element, next.change) }
        }
    }

    /// Whether the arrival of an element is still to be called, and whether some change waits for one; nil if the element
    /// is not observed.
    private func standing(of element: Element) -> (isArriving: Bool, isOneHeld: Bool)? {
        state.withLock { state in
            guard state.membership.contains(element) else { return nil }
            return (state.arriving.contains(ObjectIdentifier(element)), !state.held.isEmpty)
        }
    }

    /// Calls the handler of an arrival, unless that has been done.
    private func callArrival(of element: Element) {
        let isDue = state.withLock { $0.arriving.remove(ObjectIdentifier(element)) != nil }
        if isDue, let owner { handlers.arrival?(owner, element) }
    }

    private func enqueue(_ call: @escaping () -> Void) {
        state.withLock { $0.waiting.append(call) }
    }

    /// Calls the handlers of arrivals and departures, in their order, however they are nested.
    private func callWaiting() {
        while let call = state.withLock({ $0.hasEnded ? nil : $0.waiting.popFirst() }) { call() }
    }

    // MARK: The end

    func end() {
        let last = state.withLock { state in
            defer {
                state = State()
                state.hasEnded = true
            }
            return state
        }
        last.collection?.invalidate()
        for observation in last.observations.values { observation.invalidate() }
    }
}

extension EachElement: RegistrationKeeper {
    func remove(_: RegistrationNumber) { end() }

    /// Changes of the elements are ignored; who comes and goes is followed all the same.
    func becomeIgnorable(_: RegistrationNumber) -> [RegistrationNumber] {
        state.withLock { Array($0.observations.values) }.flatMap(\.ignorableNumbers)
    }

    var keyPath: AnyKeyPath? { state.withLock { $0.collection }?.keyPath }

    var target: ObjectIdentifier { state.withLock { $0.collection }?.target ?? ObjectIdentifier(self) }

    var hasEnded: Bool { state.withLock { $0.hasEnded || $0.collection?.isInvalidated ?? false } }
}

/// What a handler has of an observation of elements, which ends when the handler goes with its object.
final class EachElementLink<Owner: KeyValueObservable, Element: KeyValueObservable, Value> {
    private(set) weak var each: EachElement<Owner, Element, Value>?

    init(_ each: EachElement<Owner, Element, Value>) {
        self.each = each
    }

    deinit {
        each?.end()
    }
}

/// An object that is held weakly.
private struct WeakReference<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
