// Delivery in an actor.

extension KeyValueObservable {
    /// Calls a handler in an actor's isolation after each change of a key path, for as long as the returned observation
    /// lives.
    ///
    /// ```swift
    /// actor Ledger {
    ///     private(set) var ages: [Int] = []
    ///     func note(_ age: Int) { ages.append(age) }
    /// }
    ///
    /// let ledger = Ledger()
    /// let observation = person.observe(\.age, options: .new, on: ledger) { ledger, change in
    ///     ledger.note(change.newValue!)
    /// }
    /// ```
    ///
    /// ### Order and threads
    ///
    /// The handler is called after the change has returned, even if the change is made on the same actor. Each change
    /// is delivered once, with the values from the time of the change, unless the policy drops it. Changes made by one
    /// thread are delivered in the order in which that thread made them. The handlers of one registration are called
    /// one after the other. Between two of them the actor may do other work. `.initial` is delivered on the actor, too,
    /// before all changes. Registering reads the key path, so it needs the same protection as a read.
    ///
    /// ### Lifetime
    ///
    /// The observation retains the handler, but neither this object nor the actor. It ends when it is released or
    /// invalidated, or when the actor or this object dies. What waits when this object dies is still delivered; what
    /// waits when the actor dies is not. After ``KeyValueObservation/invalidate()`` has returned in the actor no handler
    /// is called any more. Elsewhere, one that has begun may be finishing.
    ///
    /// ### Traps
    ///
    /// `.prior` traps: the handler would be called after the change. So does a policy with a number below 1, and a key
    /// path that reads nothing observable.
    public func observe<Value: Sendable, Recipient: Actor>(
        _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [], on recipient: Recipient,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (isolated Recipient, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let delivery = ActorDelivery(recipient, changeHandler)
        return deliver(.keyPath(keyPath), .changes(options), bufferingPolicy, fileID, line, to: delivery)
    }

    /// Calls one handler in an actor's isolation after each change of any of several key paths.
    ///
    /// ```swift
    /// let ledger = Ledger()
    /// let observation = person.observe(\.age, \.name, options: .new, on: ledger) { ledger, change in
    ///     if let age = change.newValue as? Int { ledger.note(age) }
    /// }
    ///
    /// actor Ledger {
    ///     private(set) var ages: [Int] = []
    ///     func note(_ age: Int) { ages.append(age) }
    /// }
    /// ```
    ///
    /// The changes of all key paths wait in one line and under one policy, and are delivered in the order in which they
    /// were made; ``KeyValueObservedChange/keyPath`` says which changed. Their values are of any type and never optionals:
    /// `change.newValue as? Int`. All else is as for the form with one key path, and as for
    /// ``observe(keyPaths:options:fileID:line:changeHandler:)``.
    public func observe<First: Sendable, Second: Sendable, each More: Sendable, Recipient: Actor>(
        _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [], on recipient: Recipient,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (isolated Recipient, KeyValueObservedChange<any Sendable>) -> Void
    ) -> KeyValueObservation {
        deliver(
            .keyPaths(first, second, repeat each more), .changes(options), bufferingPolicy, fileID, line,
            to: ActorDelivery(recipient, changeHandler))
    }

    /// Calls a handler in an actor's isolation after each change of what an expression reads.
    ///
    /// See ``observe(reading:options:fileID:line:changeHandler:)`` for what an expression may be. All else is as for the
    /// form with one key path.
    public func observe<Value: Sendable, Recipient: Actor>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [], on recipient: Recipient,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (isolated Recipient, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let delivery = ActorDelivery(recipient, changeHandler)
        return deliver(
            .reading(expression, fileID, line), .changes(options), bufferingPolicy, fileID, line, to: delivery)
    }

    /// Calls an action in an actor's isolation when the value of a key path has become another one.
    ///
    /// ```swift
    /// let observation = person.onChange(of: \.age, on: ledger) { ledger, old, new in ledger.note(new - old) }
    ///
    /// actor Ledger {
    ///     private(set) var sum = 0
    ///     func note(_ change: Int) { sum += change }
    /// }
    /// let ledger = Ledger()
    /// ```
    ///
    /// The old value is the one that the action was called with last, also where the policy has dropped changes. See
    /// ``onChange(of:initial:fileID:line:_:)`` for when the action is called; all else is as for `observe`.
    public func onChange<Value: Equatable & Sendable, Recipient: Actor>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false, on recipient: Recipient,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @Sendable (isolated Recipient, _ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        let delivery = ActorDelivery(recipient, values: action)
        return deliver(.keyPath(keyPath), .values(initial), bufferingPolicy, fileID, line, to: delivery)
    }

    /// Calls an action in an actor's isolation when what an expression reads has become another value.
    public func onChange<Value: Equatable & Sendable, Recipient: Actor>(
        reading expression: @escaping (Self) -> Value, initial: Bool = false, on recipient: Recipient,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @Sendable (isolated Recipient, _ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        let delivery = ActorDelivery(recipient, values: action)
        return deliver(
            .reading(expression, fileID, line), .values(initial), bufferingPolicy, fileID, line, to: delivery)
    }
}

/// Calls a handler in an actor's isolation.
final class ActorDelivery<Recipient: Actor, Value: Sendable>: InboxDelivery {
    static var name: String { "handler in actor \(Recipient.self)" }

    private weak let recipient: Recipient?
    private let handler: @Sendable (isolated Recipient, KeyValueObservedChange<Value>) -> Void

    init(
        _ recipient: Recipient,
        _ handler: @escaping @Sendable (isolated Recipient, KeyValueObservedChange<Value>) -> Void
    ) {
        self.recipient = recipient
        self.handler = handler
    }

    convenience init(
        _ recipient: Recipient, values action: @escaping @Sendable (isolated Recipient, Value, Value) -> Void
    ) {
        self.init(recipient) { recipient, change in
            if let (old, new) = change.values { action(recipient, old, new) }
        }
    }

    var hasRecipient: Bool { recipient != nil }

    func begin(_ inbox: ChangeInbox<Value>) {
        // Detached, for the values of the task that makes a change are none of the handler's business.
        Task.detached {
            // The actor is held for one change at a time: what waits does not keep it alive.
            while let recipient = self.recipient {
                guard await self.deliver(inbox, in: recipient) else { return }
            }
            inbox.abandon()
        }
    }

    /// Delivers the next change; false if there is none.
    private func deliver(_ inbox: ChangeInbox<Value>, in recipient: isolated Recipient) -> Bool {
        inbox.deliverNext { handler(recipient, $0) }
    }
}
