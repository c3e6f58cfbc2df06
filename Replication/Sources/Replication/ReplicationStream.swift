// The commands that store and read messages.
import FoundationEssentials
import Hiredis

/// A stream of messages in Redis, with the newest snapshot, over one connection.
///
/// The stream has the key `name`, the snapshot the key `{name}:snapshot`. Both are in one slot of a cluster.
struct ReplicationStream: Sendable {
    let name: String
    let connection: RedisConnection

    private var snapshotKey: RedisArgument { "{\(name)}:snapshot" }

    // MARK: The writer

    /// The position of the last message that was ever added; nil if there is no stream.
    func last() async throws -> Position? {
        guard try await connection.execute("EXISTS", "\(name)") == .integer(1) else { return nil }
        let answer = try await connection.execute("XINFO", "STREAM", "\(name)")
        guard let values = answer.values,
            let label = values.firstIndex(where: { $0.text == "last-generated-id" }), label + 1 < values.count,
            let position = values[label + 1].text.flatMap(Position.init)
        else { throw connection.unexpected(answer, to: "XINFO STREAM") }
        return position
    }

    /// Adds a message.
    ///
    /// - Throws: A `RedisError`; the server refuses the message if the stream has one at this position or a later one.
    @concurrent func append(_ message: Message<some Encodable & Sendable>) async throws {
        let position = RedisArgument("\(message.position)")
        switch message.content {
        case .changes(let data):
            // Only a snapshot creates the stream. If the stream was deleted, a snapshot is needed.
            let answer = try await connection.execute(
                "XADD", "\(name)", "NOMKSTREAM", position, "changes", RedisArgument(data))
            if answer == .null { throw connection.unexpected(answer, to: "XADD") }
        case .snapshot(let state, let oldest):
            let state = try RedisArgument(JSONEncoder().encode(state))
            try await connection.execute(
                "EVAL", "\(Self.writeSnapshot)", 2, "\(name)", snapshotKey, position, state, "\(oldest)")
        }
    }

    /// Writes a snapshot together with the message that stands for it.
    ///
    /// For a writer that was replaced, the first line fails, and nothing is written.
    private static let writeSnapshot = """
        redis.call('XADD', KEYS[1], ARGV[1], 'snapshot', '')
        redis.call('HSET', KEYS[2], 'position', ARGV[1], 'state', ARGV[2])
        redis.call('XTRIM', KEYS[1], 'MINID', ARGV[3])
        """

    // MARK: The followers

    /// The position of the newest snapshot; nil if there is none.
    func snapshotPosition() async throws -> Position? {
        try await connection.execute("HGET", snapshotKey, "position").text.flatMap(Position.init)
    }

    /// The newest snapshot; nil if there is none.
    @concurrent func snapshot<State: Decodable & Sendable>(of _: State.Type) async throws -> Snapshot<State>? {
        let answer = try await connection.execute("HMGET", snapshotKey, "position", "state")
        guard let values = answer.values, values.count == 2 else { throw connection.unexpected(answer, to: "HMGET") }
        guard values != [.null, .null] else { return nil }
        guard let position = values[0].text.flatMap(Position.init), let state = values[1].data else {
            throw connection.unexpected(answer, to: "HMGET")
        }
        return Snapshot(position: position, state: try JSONDecoder().decode(State.self, from: state))
    }

    /// The messages after a position; waits for the first one, and returns none if it takes too long.
    @concurrent func entries(after position: Position) async throws -> [Entry] {
        let answer = try await connection.execute(
            "XREAD", "COUNT", 100, "BLOCK", 1_000, "STREAMS", "\(name)", "\(position)")
        if answer == .null { return [] }
        // One stream, with its name; of each message the identifier, and the fields with their values.
        guard let list = answer.values?.first?.values?.last?.values else {
            throw connection.unexpected(answer, to: "XREAD")
        }
        return try list.map { value in
            guard let parts = value.values, let position = parts.first?.text.flatMap(Position.init),
                let fields = parts.last?.values, fields.count == 2
            else { throw connection.unexpected(value, to: "XREAD") }
            return Entry(position: position, changes: fields[0].text == "changes" ? fields[1].data : nil)
        }
    }
}
