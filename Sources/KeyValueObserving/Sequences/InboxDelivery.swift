// What takes elements out of an inbox, to where they are handled.

/// Takes the elements of an inbox to where they are handled.
protocol InboxDelivery<Element>: AnyObject, Sendable {
    associatedtype Element: Sendable

    /// Where that is, for listings and messages.
    static var name: String { get }

    var hasRecipient: Bool { get }

    /// Called when something waits, on the thread that made the change; then not before the inbox had nothing to give.
    func begin(_ inbox: any Inbox<Element>)

    /// Called when nothing more will come, on any thread.
    func end()
}

extension InboxDelivery {
    var hasRecipient: Bool { true }
    func end() {}
}

/// Calls a handler in an actor's isolation.
final class ActorDelivery<Recipient: Actor, Element: Sendable>: InboxDelivery {
    static var name: String { "handler in actor \(Recipient.self)" }

    private weak let recipient: Recipient?
    private let handler: @Sendable (isolated Recipient, Element) -> Void

    init(_ recipient: Recipient, _ handler: @escaping @Sendable (isolated Recipient, Element) -> Void) {
        (self.recipient, self.handler) = (recipient, handler)
    }

    var hasRecipient: Bool { recipient != nil }

    func begin(_ inbox: any Inbox<Element>) {
        // Detached, for the values of the task that makes a change are none of the handler's business.
        Task.detached {
            // The actor is held for one element at a time: what waits does not keep it alive.
            while let recipient = self.recipient {
                guard await self.deliver(inbox, in: recipient) else { return }
            }
            inbox.abandon()
        }
    }

    private func deliver(_ inbox: any Inbox<Element>, in recipient: isolated Recipient) -> Bool {
        inbox.deliverNext { handler(recipient, $0) }
    }
}

/// Calls a handler on the main actor.
final class MainActorDelivery<Element: Sendable>: InboxDelivery {
    static var name: String { "handler on the main actor" }

    private let handler: @MainActor (Element) -> Void

    init(_ handler: @escaping @MainActor (Element) -> Void) { self.handler = handler }

    func begin(_ inbox: any Inbox<Element>) { Task.detached { await self.deliverAll(inbox) } }

    @MainActor
    private func deliverAll(_ inbox: any Inbox<Element>) async {
        // Others have their turn between two elements.
        while inbox.deliverNext(to: { handler($0) }) { await Task.yield() }
    }
}

/// Calls a handler on an executor.
final class ExecutorDelivery<Executor: KeyValueChangeExecutor, Element: Sendable>: InboxDelivery {
    static var name: String { "handler on an executor or queue (\(Executor.self))" }

    private let executor: Executor
    private let handler: @Sendable (Element) -> Void

    init(_ executor: Executor, _ handler: @escaping @Sendable (Element) -> Void) {
        (self.executor, self.handler) = (executor, handler)
    }

    func begin(_ inbox: any Inbox<Element>) {
        executor.execute {
            // Others have their turn between two elements.
            if inbox.deliverNext(to: self.handler) { self.begin(inbox) }
        }
    }
}

/// Calls an asynchronous handler on an executor.
final class AsynchronousDelivery<Executor: KeyValueChangeExecutor, Element: Sendable>: InboxDelivery {
    static var name: String { ExecutorDelivery<Executor, Element>.name }

    private let jobs: JobExecutor
    private let handler: @Sendable (Element) async -> Void

    init(_ executor: Executor, _ handler: @escaping @Sendable (Element) async -> Void) {
        jobs = JobExecutor(executor)
        self.handler = handler
    }

    func begin(_ inbox: any Inbox<Element>) {
        Task.detached(executorPreference: jobs) {
            while case .element(let element, let event) = inbox.next() {
                EngineTrace.noteTaking(event)
                await self.handler(element)
                await Task.yield()
            }
        }
    }

    /// Has an executor run the parts of a task.
    private final class JobExecutor: TaskExecutor {
        private let executor: Executor

        init(_ executor: Executor) { self.executor = executor }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            executor.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}
