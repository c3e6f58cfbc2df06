// The messages to send.
import FoundationEssentials

/// The messages that wait to be sent, in the order of their positions.
///
/// | what happens | what follows |
/// | --- | --- |
/// | nothing was sent yet | an epoch begins, with a snapshot |
/// | more messages wait than the limit | they are dropped, and an epoch begins |
/// | the server lost messages that it had confirmed | an epoch begins |
/// | another writer began a later epoch | this one may not send any more |
///
/// A new epoch begins when the server can be reached; only its snapshot has the changes made until then.
struct Outbox<State: Sendable> {
    /// How many messages wait at most.
    let limit: Int
    /// How many messages there are at most between two snapshots.
    let interval: UInt64

    private var waiting: [Message<State>] = []
    /// The last message; nil if an epoch must begin.
    private(set) var last: Position?
    /// The last message that the server confirmed.
    private(set) var confirmed: Position?
    /// The last snapshot.
    private var snapshot = Position.start
    /// The latest epoch so far.
    private var newestEpoch: UInt64 = 0

    init(limit: Int, interval: UInt64) {
        self.limit = limit
        self.interval = interval
    }

    /// The next message to send, until it is confirmed.
    var first: Message<State>? { waiting.first }

    /// Whether a new epoch must begin before changes can be sent.
    var isInterrupted: Bool { last == nil }

    /// Adds changes, and from time to time a snapshot.
    mutating func append(_ changes: Data, state: @autoclosure () -> State) {
        guard let last else { return }
        add(last.next, .changes(changes))
        if let last = self.last, last.sequence - snapshot.sequence >= interval { addSnapshot(last.next, state()) }
    }

    /// Drops the waiting messages, because some changes cannot be sent, or were lost.
    mutating func interrupt() {
        waiting = []
        last = nil
    }

    /// Begins an epoch.
    mutating func begin(_ state: State, at milliseconds: UInt64) {
        interrupt()
        newestEpoch = max(newestEpoch + 1, milliseconds)
        snapshot = Position(epoch: newestEpoch, sequence: 0)
        addSnapshot(snapshot, state)
    }

    private mutating func addSnapshot(_ position: Position, _ state: State) {
        // A follower that used the last snapshot still finds all messages.
        add(position, .snapshot(state, oldest: snapshot))
        snapshot = position
    }

    private mutating func add(_ position: Position, _ content: Message<State>.Content) {
        guard waiting.count < limit else { return interrupt() }
        waiting.append(Message(position: position, content: content))
        last = position
    }

    /// Records that the server has stored a message.
    mutating func confirm(_ position: Position) {
        confirmed = position
        // The message may have been dropped meanwhile.
        if waiting.first?.position == position { waiting.removeFirst() }
    }

    /// Continues with a new connection.
    ///
    /// - Parameter stored: The last message that the server ever had; nil if it has no stream.
    /// - Throws: `ReplicationError.replaced` if that message is another writer's.
    mutating func resume(after stored: Position?) throws(ReplicationError) {
        if let stored, let first, stored == first.position {
            // The answer to this message was lost with the last connection.
            confirm(stored)
        } else if stored != confirmed || confirmed == nil {
            if confirmed != nil, let stored, stored.epoch > newestEpoch { throw .replaced(by: stored) }
            interrupt()
        }
        newestEpoch = max(newestEpoch, stored?.epoch ?? 0)
    }
}
