// Delivery on an executor.

extension KeyValueObservable {
    /// Calls a handler on an executor after each change of a key path, for as long as the returned observation
    /// lives.
    ///
    /// ```swift
    /// let loop = Loop()
    /// let observation = person.observe(\.age, options: .new, on: loop) { change in print(change.newValue!) }
    /// person.age = 18
    /// loop.run()  // prints "18"
    ///
    /// /// Runs its jobs when it is asked to; one thread uses it.
    /// final class Loop: KeyValueChangeExecutor, @unchecked Sendable {
    ///     private var jobs: [@Sendable () -> Void] = []
    ///     func execute(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }
    ///     func run() { while !jobs.isEmpty { jobs.removeFirst()() } }
    /// }
    /// ```
    ///
    /// ### Order and threads
    ///
    /// The handler is called after the change has returned, even if the change is made on the executor itself. Each change
    /// is delivered once, with the values from the time of the change, unless the policy drops it. Changes made by one
    /// thread are delivered in the order in which that thread made them. The handlers of one registration are called
    /// one after the other, even if the executor runs jobs at once. `.initial` is delivered there, too, before all
    /// changes. Registering reads the key path, so it needs the same protection as a read.
    ///
    /// ### Lifetime
    ///
    /// The observation retains the handler and the executor, and not this object. It ends when it is released or
    /// invalidated, or when this object dies; what waits then is still delivered. After
    /// ``KeyValueObservation/invalidate()`` has returned on the executor, if that runs one job at a time, no handler is
    /// called any more. Elsewhere, one that has begun may be finishing.
    ///
    /// ### Traps
    ///
    /// `.prior` traps: the handler would be called after the change. So does a policy with a number below 1, and a key
    /// path that reads nothing observable.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe, from this object.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - executor: Runs the handler.
    ///   - bufferingPolicy: How many changes may wait until the executor has time for them.
    ///   - fileID: Where the registration is made, for ``observationInfo``.
    ///   - line: Where the registration is made, for ``observationInfo``.
    ///   - changeHandler: Called with the change.
    /// - Returns: The registration. Keep it: releasing it ends it.
    public func observe<Value: Sendable, Executor: KeyValueChangeExecutor>(
        _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [], on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        deliver(
            [ObservedSubject.keyPath(keyPath).source], options, bufferingPolicy, fileID, line,
            to: ExecutorDelivery(executor, changeHandler))
    }

    /// Calls one handler on an executor after each change of any of several key paths, for as long as the returned
    /// observation lives.
    ///
    /// ```swift
    /// struct Background: KeyValueChangeExecutor {
    ///     func execute(_ job: @escaping @Sendable () -> Void) { Task.detached { job() } }
    /// }
    ///
    /// let observation = person.observe(\.age, \.name, on: Background()) { change in print(change) }
    /// ```
    ///
    /// The changes of all key paths wait in one line and under one policy, and are delivered in the order in which they
    /// were made; ``KeyValueObservedChange/keyPath`` says which changed. Their values are of any type and never optionals:
    /// `change.newValue as? Int`. Each key path is a registration of its own, with a row in ``observationInfo``, and one
    /// token ends all. All are checked before the first is registered. One that is given twice counts once. A change that
    /// concerns several of them is delivered once for each, in their order. `.initial` is delivered for each, in their order,
    /// before all changes. With `.distinct` a value is compared with the one delivered last for the same key path.
    ///
    /// Order, threads, lifetime and traps are those of
    /// ``observe(_:options:on:bufferingPolicy:fileID:line:changeHandler:)-(_,_,Executor,_,_,_,_)``.
    ///
    /// - Parameters:
    ///   - first: What to observe, from this object.
    ///   - second: What to observe as well.
    ///   - more: What else to observe.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - executor: Runs the handler.
    ///   - bufferingPolicy: How many changes, of all key paths together, may wait until the executor has time for them.
    ///   - fileID: Where the registrations are made, for ``observationInfo``.
    ///   - line: Where the registrations are made, for ``observationInfo``.
    ///   - changeHandler: Called with the change.
    /// - Returns: A token for all registrations. Keep it: releasing it ends them.
    public func observe<First: Sendable, Second: Sendable, each More: Sendable, Executor: KeyValueChangeExecutor>(
        _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [], on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (KeyValueObservedChange<any Sendable>) -> Void
    ) -> KeyValueObservation {
        deliver(
            SharedKeyPaths(first, second, repeat each more).sources, options, bufferingPolicy, fileID, line,
            to: ExecutorDelivery(executor, changeHandler))
    }

    /// Calls a handler on an executor or queue after each change of what an expression reads, for as long as the returned observation
    /// lives.
    ///
    /// See ``observe(reading:options:fileID:line:changeHandler:)`` for what an expression may be, and
    /// ``observe(_:options:on:bufferingPolicy:fileID:line:changeHandler:)-(_,_,Executor,_,_,_,_)`` for all else.
    public func observe<Value: Sendable, Executor: KeyValueChangeExecutor>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [], on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        deliver(
            [ObservedSubject.reading(expression, fileID, line).source], options, bufferingPolicy,
            fileID, line, to: ExecutorDelivery(executor, changeHandler))
    }

    /// Calls an action on an executor or queue when the value of a key path has become another one, for as long as the returned
    /// observation lives.
    ///
    /// The old value is the one that the action was called with last, also where the policy has dropped changes. See
    /// ``onChange(of:initial:fileID:line:_:)`` for when the action is called, and
    /// ``observe(_:options:on:bufferingPolicy:fileID:line:changeHandler:)-(_,_,Executor,_,_,_,_)`` for order, threads, lifetime and traps.
    public func onChange<Value: Equatable & Sendable, Executor: KeyValueChangeExecutor>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false, on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @Sendable (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        deliver(
            [ObservedSubject.keyPath(keyPath).source], .ofValues(initial), bufferingPolicy, ofWholes: true, fileID,
            line, to: ExecutorDelivery(executor) { if let (old, new) = $0.values { action(old, new) } })
    }

    /// Calls an action on an executor or queue when what an expression reads has become another value, for as long as the returned
    /// observation lives.
    public func onChange<Value: Equatable & Sendable, Executor: KeyValueChangeExecutor>(
        reading expression: @escaping (Self) -> Value, initial: Bool = false, on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @Sendable (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        deliver(
            [ObservedSubject.reading(expression, fileID, line).source], .ofValues(initial),
            bufferingPolicy, ofWholes: true, fileID, line,
            to: ExecutorDelivery(executor) { if let (old, new) = $0.values { action(old, new) } })
    }
}

/// Calls a handler on an executor.
final class ExecutorDelivery<Executor: KeyValueChangeExecutor, Value: Sendable>: InboxDelivery {
    static var name: String { "handler on an executor or queue (\(Executor.self))" }

    private let executor: Executor
    private let handler: @Sendable (KeyValueObservedChange<Value>) -> Void

    init(_ executor: Executor, _ handler: @escaping @Sendable (KeyValueObservedChange<Value>) -> Void) {
        self.executor = executor
        self.handler = handler
    }

    func begin(_ inbox: ChangeInbox<Value>) {
        executor.execute {
            // Others have their turn between two changes.
            if inbox.deliverNext(to: self.handler) { self.begin(inbox) }
        }
    }
}
