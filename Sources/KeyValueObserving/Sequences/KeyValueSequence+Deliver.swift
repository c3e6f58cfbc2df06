// What takes a sequence: an actor, the main actor, an executor or queue, each with a controller or without.

extension KeyValueSequence {
    /// Calls a handler in an actor's isolation with each element, for as long as the returned observation lives.
    ///
    /// ```swift
    /// actor Ledger {
    ///     private(set) var ages: [Int] = []
    ///     func note(_ age: Int) { ages.append(age) }
    /// }
    ///
    /// let ledger = Ledger()
    /// let observation = person.values(of: \.age).deliver(to: ledger) { ledger, age in ledger.note(age) }
    /// ```
    ///
    /// The actor is held weakly, and does other work between two elements. After ``KeyValueObservation/invalidate()``
    /// has returned in the actor, no handler is called any more; elsewhere, one that has begun may be finishing.
    ///
    /// - Returns: The registration. Keep it: releasing it ends it.
    public func deliver<Recipient: Actor>(
        to recipient: Recipient, _ handler: @escaping @Sendable (isolated Recipient, Element) -> Void
    ) -> KeyValueObservation {
        source.deliver(to: ActorDelivery(recipient, handler))
    }

    /// Calls a handler on the main actor with each element, for as long as the returned observation lives.
    ///
    /// ```swift
    /// let observation = person.values(of: \.name).deliverOnMainActor { name in print("Hello, \(name)") }
    /// ```
    ///
    /// Use it for objects that any thread may change. For one that belongs to the main actor, use `observe`.
    public func deliverOnMainActor(_ handler: @escaping @MainActor (Element) -> Void) -> KeyValueObservation {
        source.deliver(to: MainActorDelivery(handler))
    }

    /// Calls a handler on an executor or queue with each element, for as long as the returned observation lives.
    ///
    /// The handlers of one registration are called one after the other, even if the executor runs jobs at once. The
    /// observation holds the executor. See ``KeyValueChangeExecutor`` for an example.
    public func deliver(
        on executor: some KeyValueChangeExecutor, _ handler: @escaping @Sendable (Element) -> Void
    ) -> KeyValueObservation {
        source.deliver(to: ExecutorDelivery(executor, handler))
    }

    /// Calls an asynchronous handler on an executor or queue with each element.
    ///
    /// ```swift
    /// let observation = person.values(of: \.age, bufferingPolicy: .newest(100)).deliver(on: Background()) { age in
    ///     await send(age)
    /// }
    ///
    /// struct Background: KeyValueChangeExecutor {
    ///     func execute(_ job: @escaping @Sendable () -> Void) { Task.detached { job() } }
    /// }
    /// func send(_ age: Int) async {}
    /// ```
    ///
    /// The next element is taken when the handler has returned. So the policy also bounds the work that is under way,
    /// such as a write to a socket. The parts of the handler between two suspensions are jobs of the executor.
    public func deliver(
        on executor: some KeyValueChangeExecutor, _ handler: @escaping @Sendable (Element) async -> Void
    ) -> KeyValueObservation {
        source.deliver(to: AsynchronousDelivery(executor, handler))
    }

    /// Calls a handler in an actor's isolation with each element, and with the observer of a controller.
    ///
    /// ```swift
    /// actor Ledger {
    ///     private lazy var kvo = KVOController(observer: self)
    ///     private var ages: [Int] = []
    ///
    ///     func follow(_ person: Person) {
    ///         person.values(of: \.age).deliver(to: self, by: kvo) { ledger, _, age in ledger.ages.append(age) }
    ///     }
    /// }
    /// ```
    ///
    /// The controller keeps the registration: `unobserve`, `ignoringChanges`, whether the object is retained, and
    /// ``KVOController/DuplicatePolicy`` are as for what the controller observes itself.
    public func deliver<Observer: Sendable, Recipient: Actor>(
        to recipient: Recipient, by controller: KVOController<Observer>,
        _ handler: @escaping @Sendable (isolated Recipient, Observer, Element) -> Void
    ) {
        source.deliver(by: controller) { link in
            ActorDelivery(recipient) { if let observer = link.observer { handler($0, observer, $1) } }
        }
    }

    /// Calls a handler on the main actor with the observer of a controller and each element.
    public func deliverOnMainActor<Observer: Sendable>(
        by controller: KVOController<Observer>, _ handler: @escaping @MainActor (Observer, Element) -> Void
    ) {
        source.deliver(by: controller) { link in
            MainActorDelivery { if let observer = link.observer { handler(observer, $0) } }
        }
    }

    /// Calls a handler on an executor or queue with the observer of a controller and each element.
    public func deliver<Observer: Sendable>(
        on executor: some KeyValueChangeExecutor, by controller: KVOController<Observer>,
        _ handler: @escaping @Sendable (Observer, Element) -> Void
    ) {
        source.deliver(by: controller) { link in
            ExecutorDelivery(executor) { if let observer = link.observer { handler(observer, $0) } }
        }
    }

    /// Calls an asynchronous handler on an executor or queue with the observer of a controller and each element.
    public func deliver<Observer: Sendable>(
        on executor: some KeyValueChangeExecutor, by controller: KVOController<Observer>,
        _ handler: @escaping @Sendable (Observer, Element) async -> Void
    ) {
        source.deliver(by: controller) { link in
            AsynchronousDelivery(executor) { if let observer = link.observer { await handler(observer, $0) } }
        }
    }
}

/// What a handler that runs elsewhere has of a controller, and retains nothing of.
struct ObserverLink<Observer: AnyObject & Sendable>: Sendable {
    private weak let reference: Observer?
    private weak let registrations: ControllerRegistrations?

    init(_ observer: Observer, _ registrations: ControllerRegistrations) {
        reference = observer
        self.registrations = registrations
    }

    /// The observer; all registrations end if it has died.
    var observer: Observer? {
        if let reference { return reference }
        registrations?.removeAll()
        return nil
    }
}
