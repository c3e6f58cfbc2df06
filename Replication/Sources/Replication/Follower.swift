// Keeps a copy of a model.
import FoundationEssentials
public import Hiredis
public import KeyValueObserving
import KeyValueObservingHistory

/// Keeps a copy of a model that another process changes.
///
/// It takes the newest snapshot, and then makes the changes of each message after it, in order and each once. Observers of the
/// copy are notified as those of the model were: elements that are inserted there are inserted here, and a transaction is a
/// transaction. What a transaction puts back where it was is not sent. If a message is missing, if the writer began anew, or if a
/// change does not fit the copy, it takes a snapshot again.
///
/// Only the follower may change what is followed. It works, and keeps itself and the copy alive, until ``stop()`` is called.
@MainActor
public final class Follower<Model: Replicated>: KeyValueObservable {
    /// Makes the properties observable.
    public let keyValueRegistrar = KeyValueRegistrar()

    /// The last message that is in the copy; nil if the copy does not follow, so that it may be old.
    ///
    /// It changes after the copy has changed.
    public var position: Position? { cursor.position }

    /// How many snapshots were taken.
    @Observed public private(set) var snapshotCount = 0

    /// What keeps the copy from following; nil if nothing does.
    @Observed public private(set) var problem: (any Error)?

    private let copy: Model
    private let player = KeyValueUndoManager()
    @Observed private var cursor = Cursor()
    private var following: Task<Void, Never>?

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - copy: What follows.
    ///   - name: The name of the stream.
    ///   - address: The server.
    ///   - retryInterval: After which time a connection is tried again.
    public init(
        _ copy: Model, of name: String, at address: RedisAddress = RedisAddress(),
        retryInterval: Duration = .seconds(1)
    ) {
        self.copy = copy
        copy.track(with: player)
        following = Task {
            await keepConnected(to: address, retryInterval) {
                problem = $0
            } body: { connection in
                try await follow(ReplicationStream(name: name, connection: connection))
            }
        }
    }

    /// Follows no more; the copy stays as it is.
    public func stop() { following?.cancel() }

    /// Follows as long as the connection lasts.
    private func follow(_ stream: ReplicationStream) async throws {
        while true {
            if let newest = try await stream.snapshotPosition() {
                if cursor.needs(newest), let snapshot = try await stream.snapshot(of: Model.State.self) {
                    try Task.checkCancellation()
                    restore(snapshot)
                }
            } else if cursor != Cursor() {
                // The server has lost everything. Any message will do.
                cursor = Cursor()
            }
            if problem != nil { problem = nil }
            try await play(stream)
        }
    }

    private func restore(_ snapshot: Snapshot<Model.State>) {
        withKeyValueTransaction { copy.restore(snapshot.state) }
        player.removeAllActions()
        cursor.take(snapshot.position)
        snapshotCount += 1
    }

    /// Makes the changes of messages until one is not the next, or none comes for a while.
    private func play(_ stream: ReplicationStream) async throws {
        while case let entries = try await stream.entries(after: cursor.seen), !entries.isEmpty {
            try Task.checkCancellation()
            for entry in entries {
                guard cursor.isNext(entry.position) else {
                    if let last = entries.last { cursor.skip(to: last.position) }
                    return
                }
                if let changes = entry.changes { try play(changes) }
                cursor.pass(entry.position)
            }
        }
    }

    private func play(_ changes: Data) throws {
        do {
            try player.replay(changes)
        } catch {
            // Somebody else changed the copy. It starts again with a snapshot, after the interval between two attempts.
            cursor = Cursor()
            throw error
        }
        player.removeAllActions()
    }
}
