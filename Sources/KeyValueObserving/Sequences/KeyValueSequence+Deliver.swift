// Delivering a sequence to an actor, the main actor, an executor or a queue.

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
    /// has returned in the actor, no handler is called any more; if it returns outside the actor, a handler that has
    /// begun may be finishing.
    ///
    /// - Returns: The registration. Keep it: releasing it ends it. To bind it to an observer, store it in a controller.
    public func deliver<Recipient: Actor>(
        to recipient: Recipient, _ handler: @escaping @Sendable (isolated Recipient, Element) -> Void
    ) -> KeyValueObservation {
        deliver(to: ActorDelivery(recipient) { [element = source.element] in handler($0, element($1)) })
    }

    /// Calls a handler on the main actor with each element, for as long as the returned observation lives.
    ///
    /// ```swift
    /// let observation = person.values(of: \.name).deliverOnMainActor { name in print("Hello, \(name)") }
    /// ```
    ///
    /// Use it for objects that any thread may change. For one that belongs to the main actor, use `observe`.
    public func deliverOnMainActor(_ handler: @escaping @MainActor (Element) -> Void) -> KeyValueObservation {
        deliver(to: MainActorDelivery { [element = source.element] in handler(element($0)) })
    }

    /// Calls a handler on an executor or queue with each element, for as long as the returned observation lives.
    ///
    /// The handlers of one registration are called one after the other, even if the executor runs jobs at once. The
    /// observation holds the executor. See ``KeyValueChangeExecutor`` for an example.
    public func deliver(
        on executor: some KeyValueChangeExecutor, _ handler: @escaping @Sendable (Element) -> Void
    ) -> KeyValueObservation {
        deliver(to: ExecutorDelivery(executor) { [element = source.element] in handler(element($0)) })
    }

    /// Calls an asynchronous handler on an executor or queue with each element.
    ///
    /// ```swift
    /// let ages = person.values(of: \.age).buffer(policy: .bufferingNewest(100))
    /// let observation = ages.deliver(on: Background()) { age in await send(age) }
    ///
    /// struct Background: KeyValueChangeExecutor {
    ///     func execute(_ job: @escaping @Sendable () -> Void) { Task.detached { job() } }
    /// }
    /// func send(_ age: Int) async {}
    /// ```
    ///
    /// The next element is consumed when the handler has returned. So the policy also bounds the work in progress, such
    /// as a write to a socket. The parts of the handler between two suspensions are jobs of the executor.
    public func deliver<Executor: KeyValueChangeExecutor>(
        on executor: Executor, _ handler: @escaping @Sendable (Element) async -> Void
    ) -> KeyValueObservation {
        deliver(
            to: TaskDelivery(JobExecutor(executor), named: Executor.self) { [element = source.element] in
                await handler(element($0))
            })
    }

    /// Calls a handler on a task executor, such as an event loop, with each element.
    ///
    /// A type that is also a ``KeyValueChangeExecutor`` is used as one.
    @_disfavoredOverload
    public func deliver(
        on executor: some TaskExecutor, _ handler: @escaping @Sendable (Element) -> Void
    ) -> KeyValueObservation {
        deliver(to: TaskDelivery(executor) { [element = source.element] in handler(element($0)) })
    }

    /// Calls an asynchronous handler on a task executor, such as an event loop, with each element.
    @_disfavoredOverload
    public func deliver(
        on executor: some TaskExecutor, _ handler: @escaping @Sendable (Element) async -> Void
    ) -> KeyValueObservation {
        deliver(to: TaskDelivery(executor) { [element = source.element] in await handler(element($0)) })
    }

    /// Not available: neither an actor nor a queue without its product is an executor.
    @available(
        *, unavailable,
        message:
            "for an actor write deliver(to:), for a dispatch queue import the product KeyValueObservingDispatch; others conform to KeyValueChangeExecutor"
    )
    public func deliver(on place: Any, _ handler: (Element) -> Void) -> KeyValueObservation {
        fatalError("unavailable")
    }
}
