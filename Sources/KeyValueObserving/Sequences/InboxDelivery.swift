// Consumers of an inbox.

/// Consumes the changes of an inbox on an executor.
protocol InboxDelivery: AnyObject, Sendable {
    /// The name of the executor, for listings and messages.
    var name: String { get }

    var hasRecipient: Bool { get }

    /// Called when a change waits, on the thread that made the change; called again only after the inbox was empty.
    func begin(_ inbox: Inbox)

    /// Called after the last change, on any thread.
    func end()
}

extension InboxDelivery {
    var hasRecipient: Bool { true }
    func end() {}
}

/// Calls a handler in an actor's isolation.
final class ActorDelivery<Recipient: Actor>: InboxDelivery {
    var name: String { "handler in actor \(Recipient.self)" }

    private weak let recipient: Recipient?
    private let handler: @Sendable (isolated Recipient, TakenChange) -> Void

    init(_ recipient: Recipient, _ handler: @escaping @Sendable (isolated Recipient, TakenChange) -> Void) {
        (self.recipient, self.handler) = (recipient, handler)
    }

    var hasRecipient: Bool { recipient != nil }

    func begin(_ inbox: Inbox) {
        // The task is detached, so that the handler does not inherit task-local values of the task that makes a change.
        Task.detached {
            // The actor is held for one change at a time, so that waiting changes do not keep it alive.
            while let recipient = self.recipient {
                guard await self.deliver(inbox, in: recipient) else { return }
            }
            inbox.abandon()
        }
    }

    private func deliver(_ inbox: Inbox, in recipient: isolated Recipient) -> Bool {
        inbox.deliverNext { handler(recipient, $0) }
    }
}

/// Calls a handler on the main actor.
final class MainActorDelivery: InboxDelivery {
    var name: String { "handler on the main actor" }

    private let handler: @MainActor (TakenChange) -> Void

    init(_ handler: @escaping @MainActor (TakenChange) -> Void) { self.handler = handler }

    func begin(_ inbox: Inbox) { Task.detached { await self.deliverAll(inbox) } }

    @MainActor
    private func deliverAll(_ inbox: Inbox) async {
        // Other jobs can run between two changes.
        while inbox.deliverNext(to: { handler($0) }) { await Task.yield() }
    }
}

/// Calls a handler on an executor.
final class ExecutorDelivery<Executor: KeyValueChangeExecutor>: InboxDelivery {
    var name: String { "handler on an executor or queue (\(Executor.self))" }

    private let executor: Executor
    private let handler: @Sendable (TakenChange) -> Void

    init(_ executor: Executor, _ handler: @escaping @Sendable (TakenChange) -> Void) {
        (self.executor, self.handler) = (executor, handler)
    }

    func begin(_ inbox: Inbox) {
        executor.execute {
            // Other jobs can run between two changes.
            if inbox.deliverNext(to: self.handler) { self.begin(inbox) }
        }
    }
}

/// Calls an asynchronous handler in a task on an executor.
final class TaskDelivery<Executor: TaskExecutor>: InboxDelivery {
    let name: String
    private let executor: Executor
    private let handler: @Sendable (TakenChange) async -> Void

    /// Creates a delivery on an executor, which listings name by the given type.
    init(
        _ executor: Executor, named type: Any.Type = Executor.self,
        _ handler: @escaping @Sendable (TakenChange) async -> Void
    ) {
        (self.executor, self.handler) = (executor, handler)
        name = "handler on an executor or queue (\(type))"
    }

    func begin(_ inbox: Inbox) {
        Task.detached(executorPreference: executor) {
            while case .change(let change) = inbox.next() {
                EngineTrace.noteTaking(change.event)
                await self.handler(change)
                await Task.yield()
            }
        }
    }
}

/// Runs the parts of tasks on an executor of changes.
final class JobExecutor<Executor: KeyValueChangeExecutor>: TaskExecutor {
    private let executor: Executor

    init(_ executor: Executor) { self.executor = executor }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        executor.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
