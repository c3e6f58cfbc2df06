// Keeps a copy of a model.
import FoundationEssentials
public import Hiredis
public import KeyValueObserving
import KeyValueObservingHistory

/// Keeps a copy of a model that another process changes.
///
/// It reads the newest snapshot, and then applies the changes of each message after it, in order and once each.
/// Observers of the copy receive the same changes as those of the model: an insertion is an insertion, and a
/// transaction is a transaction. Changes that a transaction reverts are not sent. If a message is missing, if the
/// writer began anew, or if a change does not fit the copy, the follower reads a snapshot again.
///
/// Only the follower may change the copy. It works, and keeps itself and the copy alive, until ``stop()`` is called.
@MainActor
public final class Follower<Model: Replicated>: KeyValueObservable {
    /// Makes the properties observable.
    public let keyValueRegistrar = KeyValueRegistrar()

    /// The last message that is in the copy; nil if the copy does not follow, so that it may be old.
    ///
    /// It changes after the copy has changed.
    public var position: Position? { cursor.position }

    /// How many snapshots were used.
    @Observed public private(set) var snapshotCount = 0

    /// The error that keeps the copy from following; nil if it follows.
    @Observed public private(set) var problem: (any Error)?

    private let copy: Model
    private let player = KeyValueUndoManager()
    @Observed private var cursor = Cursor()
    private var following: Task<Void, Never>?

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - copy: The copy.
    ///   - name: The name of the stream.
    ///   - address: The server.
    ///   - retryInterval: The time between two attempts to connect.
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

    /// Stops following; the copy keeps its values.
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
                // The server has lost its data, so any message may be the next one.
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

    /// Applies the changes of messages until one is not the next, or none comes for a while.
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
            // Other code changed the copy, which starts again with a snapshot, after the interval between two attempts.
            cursor = Cursor()
            throw error
        }
        player.removeAllActions()
    }
}
