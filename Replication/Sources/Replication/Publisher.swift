// Sends the changes of a model.
import FoundationEssentials
public import Hiredis
public import KeyValueObserving
import KeyValueObservingHistory

/// Sends the changes of a model to a Redis stream.
///
/// It sends the changes since the last message as one when the main actor is free again, or when you call ``send()``. A
/// message has whole steps, each of which is an outermost change or a transaction. Followers apply each step in a
/// transaction.
///
/// Code that changes the model never waits for the network. Messages wait in a queue of a limited length. If the queue
/// is full, the publisher empties it, and followers get a new snapshot when the server can be reached.
///
/// A publisher works, and keeps itself and the model alive, until ``stop()`` is called.
@MainActor
public final class Publisher<Model: Replicated>: KeyValueObservable {
    /// Makes the properties observable.
    public let keyValueRegistrar = KeyValueRegistrar()

    /// The error that keeps messages from being sent; nil if there is none.
    ///
    /// After a ``ReplicationError``, nothing is sent any more. After other errors, the publisher tries again.
    @Observed public private(set) var problem: (any Error)?

    /// The last message that the server confirmed.
    public var confirmed: Position? { outbox.confirmed }

    /// Whether the server has confirmed all changes.
    public var isUpToDate: Bool { !recorder.canUndo && outbox.last != nil && outbox.last == confirmed }

    private let model: Model
    private let recorder: KeyValueUndoManager
    @Observed private var outbox: Outbox<Model.State>
    private let (wakeups, waking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private var recording: KeyValueObservation?
    private var sending: Task<Void, Never>?
    private var checking: Task<Void, Never>?

    /// Creates a publisher, which sends a snapshot first.
    ///
    /// - Parameters:
    ///   - model: The model to send.
    ///   - name: The name of the stream.
    ///   - address: The server.
    ///   - limit: How many messages wait at most, and how many steps are in one.
    ///   - interval: How many messages there are at most between two snapshots.
    ///   - retryInterval: The time between two attempts to connect, and between checks of an idle connection.
    public init(
        _ model: Model, to name: String, at address: RedisAddress = RedisAddress(), limit: Int = 1_000,
        snapshotInterval interval: Int = 500, retryInterval: Duration = .seconds(1)
    ) {
        self.model = model
        outbox = Outbox(limit: limit, interval: UInt64(interval))
        recorder = KeyValueUndoManager(levelsOfUndo: limit)
        model.track(with: recorder)
        recording = recorder.observe(\.canUndo, options: .new) { [weak self] _, change in
            // The change is still being delivered; all of it has been recorded when the main actor is free.
            if change.requiredNewValue { Task { self?.send() } }
        }
        sending = Task {
            await keepConnected(to: address, retryInterval) {
                problem = $0
            } body: { connection in
                try await send(through: ReplicationStream(name: name, connection: connection))
            }
        }
        checking = Task { [waking] in
            while (try? await Task.sleep(for: retryInterval)) != nil { waking.yield() }
        }
    }

    /// Sends the changes since the last message as a message of its own.
    ///
    /// Call it where a message must end. Otherwise, the changes are sent when the main actor is free. Inside a
    /// transaction or a handler, it would split a step.
    public func send() {
        guard recorder.canUndo else { return }
        defer { recorder.removeAllActions() }
        // The next snapshot will have the changes.
        if outbox.isInterrupted { return }
        do {
            let changes = try recorder.saveSteps()
            // If there are as many steps as are kept, older ones may be missing.
            if try stepCount(of: changes) < outbox.limit {
                outbox.append(changes, state: model.state)
            } else {
                outbox.interrupt()
            }
        } catch {
            problem = error
            outbox.interrupt()
        }
        waking.yield()
    }

    /// Sends nothing more; what waits is dropped.
    public func stop() {
        recording = nil
        sending?.cancel()
        checking?.cancel()
    }

    /// Sends messages as long as the connection lasts.
    private func send(through stream: ReplicationStream) async throws {
        try outbox.resume(after: await stream.last())
        var wakeups = wakeups.makeAsyncIterator()
        repeat {
            // The server may have lost its data while there is nothing to send.
            if outbox.first == nil {
                let stored = try await stream.last()
                try Task.checkCancellation()
                if stored != outbox.confirmed { try outbox.resume(after: stored) }
            }
            if problem != nil { problem = nil }
            while let message = nextMessage() {
                try Task.checkCancellation()
                do {
                    try await stream.append(message)
                } catch let error as EncodingError {
                    // The next snapshot may be of a model that can be encoded.
                    outbox.interrupt()
                    throw error
                }
                outbox.confirm(message.position)
            }
        } while await wakeups.next(isolation: #isolation) != nil
    }

    private func nextMessage() -> Message<Model.State>? {
        if outbox.isInterrupted {
            recorder.removeAllActions()
            outbox.begin(model.state, at: UInt64(Date.now.timeIntervalSince1970 * 1_000))
        }
        return outbox.first
    }
}

/// How many steps a text has that `KeyValueUndoManager.saveSteps()` returned.
private func stepCount(of changes: Data) throws -> Int {
    struct Step: Decodable { init(from decoder: any Decoder) {} }
    struct Steps: Decodable { let undo: [Step] }
    return try JSONDecoder().decode(Steps.self, from: changes).undo.count
}
