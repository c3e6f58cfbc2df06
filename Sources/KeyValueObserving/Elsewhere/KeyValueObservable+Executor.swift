// Delivery on an executor or queue.

extension KeyValueObservable {
    /// Calls a handler on an executor after each change of a key path, for as long as the returned observation lives.
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
    /// Order, threads, lifetime and traps are those of delivery in an actor, with two differences. The handlers of one
    /// registration are called one after the other even if the executor runs jobs at once; and the observation retains
    /// the executor. After ``KeyValueObservation/invalidate()`` has returned on an executor that runs one job at a time, no
    /// handler is called any more.
    public func observe<Value: Sendable, Executor: KeyValueChangeExecutor>(
        _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [], on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let delivery = ExecutorDelivery(executor, changeHandler)
        return deliver(.keyPath(keyPath), .changes(options), bufferingPolicy, fileID, line, to: delivery)
    }

    /// Calls one handler on an executor or queue after each change of any of several key paths.
    ///
    /// ```swift
    /// struct Background: KeyValueChangeExecutor {
    ///     func execute(_ job: @escaping @Sendable () -> Void) { Task.detached { job() } }
    /// }
    ///
    /// let observation = person.observe(\.age, \.name, on: Background()) { change in print(change) }
    /// ```
    ///
    /// The changes of all key paths wait in one line, as they do for an actor.
    public func observe<First: Sendable, Second: Sendable, each More: Sendable, Executor: KeyValueChangeExecutor>(
        _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [], on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (KeyValueObservedChange<any Sendable>) -> Void
    ) -> KeyValueObservation {
        deliver(
            .keyPaths(first, second, repeat each more), .changes(options), bufferingPolicy, fileID, line,
            to: ExecutorDelivery(executor, changeHandler))
    }

    /// Calls a handler on an executor or queue after each change of what an expression reads.
    public func observe<Value: Sendable, Executor: KeyValueChangeExecutor>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [], on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let delivery = ExecutorDelivery(executor, changeHandler)
        return deliver(
            .reading(expression, fileID, line), .changes(options), bufferingPolicy, fileID, line, to: delivery)
    }

    /// Calls an action on an executor or queue when the value of a key path has become another one.
    ///
    /// The old value is the one that the action was called with last, also where the policy has dropped changes. See
    /// ``onChange(of:initial:fileID:line:_:)`` for when the action is called; all else is as for `observe`.
    public func onChange<Value: Equatable & Sendable, Executor: KeyValueChangeExecutor>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false, on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @Sendable (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        let delivery = ExecutorDelivery(executor, values: action)
        return deliver(.keyPath(keyPath), .values(initial), bufferingPolicy, fileID, line, to: delivery)
    }

    /// Calls an action on an executor or queue when what an expression reads has become another value.
    public func onChange<Value: Equatable & Sendable, Executor: KeyValueChangeExecutor>(
        reading expression: @escaping (Self) -> Value, initial: Bool = false, on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @Sendable (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        let delivery = ExecutorDelivery(executor, values: action)
        return deliver(
            .reading(expression, fileID, line), .values(initial), bufferingPolicy, fileID, line, to: delivery)
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

    convenience init(_ executor: Executor, values action: @escaping @Sendable (Value, Value) -> Void) {
        self.init(executor) { if let (old, new) = $0.values { action(old, new) } }
    }

    func begin(_ inbox: ChangeInbox<Value>) {
        executor.execute {
            // Others have their turn between two changes.
            if inbox.deliverNext(to: self.handler) { self.begin(inbox) }
        }
    }
}
