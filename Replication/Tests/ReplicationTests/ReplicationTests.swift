// A model, its copies and a real server.
import Board
import Foundation
import Hiredis
import KeyValueObserving
import KeyValueObservingHistory
import Testing

@testable import Replication

@MainActor @Suite(.timeLimit(.minutes(2))) final class ReplicationTests {
    private let board = Board()
    private var publisher: Publisher<Board>?
    private var copies: [Copy] = []

    isolated deinit {
        publisher?.stop()
        for copy in copies { copy.follower.stop() }
    }

    /// A copy of a board, with what its observers were called for.
    @MainActor private final class Copy {
        let board = Board()
        let follower: Follower<Board>
        var changes: [String] = []
        var positions: [Position] = []
        var tokens: [KeyValueObservation] = []

        init(from server: RedisServer) {
            follower = Follower(board, of: "board", at: server.address, retryInterval: .milliseconds(5))
            tokens = [
                follow(board) { [weak self] in self?.changes.append($0) },
                follower.observe(\.position, options: [.new, .distinct]) { [weak self] _, change in
                    if let position = change.requiredNewValue { self?.positions.append(position) }
                },
            ]
        }
    }

    /// Sends the board, and waits until the server has the first snapshot.
    private func publish(
        to server: RedisServer, limit: Int = 1_000, snapshotInterval: Int = 500
    ) async -> Publisher<Board> {
        publisher?.stop()
        let publisher = Publisher(
            board, to: "board", at: server.address, limit: limit, snapshotInterval: snapshotInterval,
            retryInterval: .milliseconds(5))
        self.publisher = publisher
        _ = await publisher.values(of: \.confirmed).first { _ in publisher.isUpToDate }
        return publisher
    }

    private func join(_ server: RedisServer) -> Copy {
        let copy = Copy(from: server)
        copies.append(copy)
        return copy
    }

    /// Makes a change by text, as a message of its own.
    private func perform(_ line: String) {
        #expect(board.perform(line))
        publisher?.send()
    }

    /// Waits until the server has all changes, and the copies, too.
    private func settle() async {
        guard let publisher else { return }
        _ = await publisher.values(of: \.confirmed).first { _ in publisher.isUpToDate }
        for copy in copies {
            let confirmed = publisher.confirmed
            _ = await copy.follower.values(of: \.position).first { $0 == confirmed }
            #expect(copy.board.state == board.state)
        }
    }

    // MARK: Order

    @Test func `observers of a copy are called for the changes that were made, in their order`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server)
        let copies = [join(server), join(server)]
        await settle()
        for copy in copies { copy.changes = [] }
        var expected: [String] = []
        let token = follow(board) { expected.append($0) }
        for number in 0..<100 {
            perform("add card \(number)")
            perform("insert 0 first \(number)")
            perform("vote card \(number % 7)")
            perform("do first \(number)")
            if number.isMultiple(of: 3) { perform("remove \(number)") }
        }
        await settle()
        #expect(expected.count == 534)
        for copy in copies {
            #expect(copy.changes == expected)
            #expect(copy.positions.map(\.sequence) == Array(0...publisher.confirmed!.sequence))
            #expect(copy.follower.snapshotCount == 1)
        }
        withExtendedLifetime(token) {}
    }

    @Test func `a transaction is one message, and of elements only those that change are sent`() async throws {
        let server = try await RedisServer()
        _ = await publish(to: server)
        for card in ["bread", "milk"] { perform("add \(card)") }
        await settle()
        perform("do bread")
        await settle()
        let stream = ReplicationStream(name: "board", connection: try await server.connect())
        let entries = try await stream.entries(after: .start)
        #expect(
            entries.compactMap(\.changes).map { String(decoding: $0, as: UTF8.self) }.last == """
                {"elements":[],"redo":[],"state":[],"undo":[{"properties":[{"changes":[{"kind":"removal","old":["bread"],\
                "positions":[0]},{"kind":"insertion","new":["bread"],"positions":[1]}],"count":2,"name":"cards",\
                "object":"board"},{"changes":[{"kind":"insertion","new":{"bread":1}}],"name":"votes","object":"board"}]}],\
                "version":2}
                """)
    }

    @Test func `changes made while the main actor is busy are one message of several steps`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server)
        let copy = join(server)
        await settle()
        let first = publisher.confirmed
        for card in ["a", "b", "c"] { #expect(board.perform("add \(card)")) }
        await settle()
        #expect(publisher.confirmed == first?.next)
        #expect(copy.changes.suffix(3).allSatisfy { $0.hasPrefix("insertion in cards") })
    }

    @Test func `a copy sends nothing`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server)
        _ = join(server)
        perform("add milk")
        await settle()
        let stream = ReplicationStream(name: "board", connection: try await server.connect())
        #expect(try await stream.last() == publisher.confirmed)
    }

    // MARK: Late joiners and gaps

    @Test func `who joins late takes a snapshot, and then the messages after it`() async throws {
        let server = try await RedisServer()
        _ = await publish(to: server, snapshotInterval: 10)
        for number in 0..<25 { perform("add \(number)") }
        await settle()
        let late = join(server)
        await settle()
        // Snapshots are the messages 0, 11 and 22; changes come with the others.
        #expect(late.positions.map(\.sequence) == Array(22...27))
        #expect(late.changes.dropFirst().first?.hasPrefix("setting of cards") == true)
        #expect(late.changes.dropFirst(3).allSatisfy { $0.hasPrefix("insertion in cards") })
    }

    @Test func `the stream is as long as two intervals at most`() async throws {
        let server = try await RedisServer()
        _ = await publish(to: server, snapshotInterval: 10)
        for number in 0..<200 { perform("title \(number)") }
        await settle()
        let length = try await server.connect().execute("XLEN", "board")
        guard case .integer(let count) = length else { return #expect(Bool(false), "\(length)") }
        #expect(11...22 ~= count)
    }

    @Test func `a missing message is noticed, and the next snapshot heals the copy`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server, snapshotInterval: 10)
        for number in 0..<5 { perform("add \(number)") }
        await settle()
        let position = try #require(publisher.confirmed)
        let missing = Position(epoch: position.epoch, sequence: 3)
        #expect(try await server.connect().execute("XDEL", "board", "\(missing)") == .integer(1))
        let copy = Copy(from: server)
        // It has 1 and 2, and then nothing that it could use.
        _ = await copy.follower.values(of: \.position).first { $0?.sequence == 2 }
        _ = await copy.follower.values(of: \.position).first { $0 == nil }
        #expect(copy.board.cards == ["0", "1"])
        copies.append(copy)
        for number in 5..<10 { perform("add \(number)") }
        await settle()
        #expect(copy.follower.snapshotCount == 2)
        #expect(copy.positions.map(\.sequence) == [0, 1, 2, 11])
    }

    @Test func `a copy that somebody else changed takes a snapshot again`() async throws {
        let server = try await RedisServer()
        _ = await publish(to: server)
        let copy = join(server)
        perform("add milk")
        await settle()
        copy.board.cards = ["butter", "jam"]
        perform("add bread")
        await settle()
        #expect(copy.follower.snapshotCount == 2 && copy.follower.problem == nil)
        perform("add eggs")
        await settle()
        #expect(copy.board.cards == ["milk", "bread", "eggs"] && copy.follower.snapshotCount == 2)
    }

    @Test func `another writer begins an epoch, and the first one stops`() async throws {
        let server = try await RedisServer()
        let first = await publish(to: server)
        let copy = join(server)
        perform("add milk")
        await settle()
        let other = Board()
        let second = Publisher(other, to: "board", at: server.address)
        defer { second.stop() }
        _ = await second.values(of: \.confirmed).first { _ in second.isUpToDate }
        let position = try #require(second.confirmed)
        _ = await copy.follower.values(of: \.position).first { $0 == position }
        #expect(copy.board.cards.isEmpty && copy.follower.snapshotCount == 2)
        perform("add bread")
        _ = await first.values(reading: { $0.problem is ReplicationError }).first { $0 }
        #expect(first.problem as? ReplicationError == .replaced(by: position))
        let stream = ReplicationStream(name: "board", connection: try await server.connect())
        #expect(try await stream.last() == position)
        #expect(try await stream.snapshot(of: Board.State.self)?.state == other.state)
    }

    @Test func `a stream that somebody deleted is made anew`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server)
        let copy = join(server)
        perform("add milk")
        await settle()
        let epoch = try #require(publisher.confirmed?.epoch)
        try await server.connect().execute("FLUSHALL")
        // There is nothing to send; it is noticed nevertheless.
        _ = await publisher.values(reading: { $0.confirmed?.epoch != epoch }).first { $0 }
        await settle()
        #expect(copy.follower.snapshotCount == 2)
        try await server.connect().execute("FLUSHALL")
        perform("add bread")
        await settle()
        #expect(copy.follower.snapshotCount == 3)
        _ = join(server)
        await settle()
    }

    @Test func `a copy follows a writer whose clock is behind, after the data was deleted`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server)
        let copy = join(server)
        await settle()
        publisher.stop()
        let connection = try await server.connect()
        try await connection.execute("FLUSHALL")
        let other = Board()
        #expect(other.perform("add milk"))
        let early = Position(epoch: 1, sequence: 0)
        try await ReplicationStream(name: "board", connection: connection)
            .append(Message(position: early, content: .snapshot(other.state, oldest: early)))
        _ = await copy.follower.values(of: \.position).first { $0 == early }
        #expect(copy.board.state == other.state)
    }

    @Test func `only a snapshot makes a stream, and only at a position after all others`() async throws {
        let server = try await RedisServer()
        let stream = ReplicationStream(name: "board", connection: try await server.connect())
        func append(_ sequence: UInt64, _ content: Message<[String]>.Content) async -> RedisError? {
            let message = Message(position: Position(epoch: 7, sequence: sequence), content: content)
            do { try await stream.append(message) } catch { return error as? RedisError }
            return nil
        }
        #expect(await append(1, .changes(Data()))?.code == .unexpectedAnswer)
        #expect(try await stream.last() == nil)
        #expect(await append(0, .snapshot(["a"], oldest: .start)) == nil)
        #expect(await append(1, .changes(Data())) == nil)
        #expect(await append(1, .changes(Data()))?.code == .refused)
        #expect(await append(0, .snapshot(["b"], oldest: .start))?.code == .refused)
        #expect(try await stream.snapshot(of: [String].self)?.state == ["a"])
        #expect(try await stream.entries(after: .start).map(\.position.sequence) == [0, 1])
    }

    @Test func `a value that cannot be encoded is a problem until it is gone`() async throws {
        let server = try await RedisServer()
        let gauge = Gauge()
        let publisher = Publisher(
            gauge, to: "gauge", at: server.address, snapshotInterval: 1, retryInterval: .milliseconds(5))
        defer { publisher.stop() }
        let copy = Gauge()
        let follower = Follower(copy, of: "gauge", at: server.address)
        defer { follower.stop() }
        _ = await follower.values(of: \.position).first { $0 != nil }
        // In a snapshot of the same epoch.
        gauge.factor = .nan
        gauge.level = 1
        _ = await publisher.values(reading: { $0.problem is EncodingError }).first { $0 }
        gauge.factor = 2
        gauge.level = 2
        _ = await copy.values(of: \.level).first { $0 == 2 }
        // In a message, and in the snapshot that replaces it.
        gauge.level = .nan
        _ = await publisher.values(reading: { $0.problem is EncodingError }).first { $0 }
        gauge.level = 3
        _ = await copy.values(of: \.level).first { $0 == 3 }
        _ = await publisher.values(of: \.confirmed).first { _ in publisher.isUpToDate }
        #expect(publisher.problem == nil)
    }

    // MARK: A slow or missing server

    @Test func `who changes the model does not wait for a server that hangs`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server, limit: 20)
        let copy = join(server)
        perform("add milk")
        await settle()
        let first = try #require(publisher.confirmed)
        server.signal(SIGSTOP)
        for number in 0..<1_000 { perform("add \(number)") }
        #expect(publisher.confirmed == first)
        server.signal(SIGCONT)
        await settle()
        // What was too much was dropped; the copies got a snapshot.
        #expect(publisher.confirmed!.epoch > first.epoch)
        #expect(copy.board.cards.count == 1_001 && copy.follower.snapshotCount == 2)
    }

    @Test func `more steps than a message may have make a new snapshot`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server, limit: 20)
        let copy = join(server)
        await settle()
        let first = try #require(publisher.confirmed)
        for number in 0..<19 { #expect(board.perform("add \(number)")) }
        await settle()
        #expect(publisher.confirmed == first.next)
        for number in 0..<21 { #expect(board.perform("add \(number)")) }
        await settle()
        #expect(publisher.confirmed!.epoch > first.epoch && copy.follower.snapshotCount == 2)
    }

    @Test func `a server that keeps its data is restarted, and all go on`() async throws {
        let server = try await RedisServer(isPersistent: true)
        let publisher = await publish(to: server)
        let copy = join(server)
        perform("add milk")
        await settle()
        let epoch = publisher.confirmed?.epoch
        await server.stop()
        for number in 0..<10 { perform("add \(number)") }
        _ = await publisher.values(reading: { $0.problem != nil }).first { $0 }
        try await server.start()
        await settle()
        #expect(publisher.confirmed?.epoch == epoch && publisher.problem == nil)
        #expect(copy.follower.snapshotCount == 1)
        #expect(copy.positions.map(\.sequence) == Array(0...11))
    }

    @Test func `a server that has lost its data gets a new epoch`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server)
        let copy = join(server)
        perform("add milk")
        await settle()
        let epoch = try #require(publisher.confirmed?.epoch)
        await server.stop(SIGKILL)
        perform("add bread")
        try await server.start()
        perform("add eggs")
        await settle()
        #expect(publisher.confirmed!.epoch > epoch)
        #expect(copy.follower.snapshotCount == 2)
        #expect(join(server).board.cards.isEmpty)
        await settle()
    }

    @Test func `what is changed right before a snapshot is in it, and not sent again`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server)
        let copy = join(server)
        await settle()
        await server.stop(SIGKILL)
        _ = await publisher.values(reading: { $0.problem != nil }).first { $0 }
        // The first thing after the connection is there again, and before the snapshot.
        let token = publisher.observe(\.problem, options: .new) { [board] _, change in
            if change.requiredNewValue == nil { #expect(board.perform("add milk")) }
        }
        let epoch = publisher.confirmed?.epoch
        try await server.start()
        _ = await publisher.values(reading: { $0.confirmed?.epoch != epoch }).first { $0 }
        await settle()
        token.invalidate()
        #expect(publisher.confirmed?.sequence == 0 && copy.follower.snapshotCount == 2)
        perform("add bread")
        await settle()
        #expect(copy.follower.snapshotCount == 2)
    }

    @Test func `observers of a copy see a snapshot as a whole`() async throws {
        let server = try await RedisServer()
        for line in ["title Groceries", "add milk", "vote milk"] { #expect(board.perform(line)) }
        _ = await publish(to: server)
        let copy = join(server)
        var seen: [Board.State] = []
        let token = copy.board.observe(keyPaths: [\.title, \.cards, \.votes]) { board, _ in seen.append(board.state) }
        await settle()
        #expect(seen == [board.state, board.state, board.state])
        withExtendedLifetime(token) {}
    }

    @Test func `a follower may come first, and outlive the data`() async throws {
        let server = try await RedisServer()
        let copy = join(server)
        let publisher = await publish(to: server)
        perform("add milk")
        await settle()
        publisher.stop()
        await server.stop(SIGKILL)
        try await server.start()
        _ = await copy.follower.values(of: \.position).first { $0 == nil }
        #expect(copy.board.cards == ["milk"])
        _ = await publish(to: server)
        perform("add bread")
        await settle()
        #expect(copy.follower.snapshotCount == 2)
    }

    @Test func `when connections break again and again, each message is stored and made once`() async throws {
        let server = try await RedisServer()
        let publisher = await publish(to: server)
        let copies = [join(server), join(server)]
        await settle()
        let control = try await server.connect()
        for number in 0..<300 {
            perform("add \(number)")
            if number.isMultiple(of: 10) {
                try await control.execute("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            }
        }
        await settle()
        for copy in copies {
            #expect(copy.positions.map(\.sequence) == Array(0...publisher.confirmed!.sequence))
            #expect(copy.follower.snapshotCount == 1)
        }
        #expect(board.cards.count == 300)
    }
}

/// A model with a value that JSON does not have.
@MainActor private final class Gauge: Replicated {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0.0
    /// In a snapshot, and in no message.
    var factor = 1.0

    var state: [Double] { [level, factor] }
    func restore(_ state: [Double]) { level = state[0] }
    func track(with recorder: KeyValueUndoManager) { recorder.track(self, \.level, named: "gauge") }
}

/// Calls a function with each change of a board, as text.
@MainActor private func follow(_ board: Board, _ body: @escaping (String) -> Void) -> KeyValueObservation {
    board.observe(keyPaths: [\.title, \.cards, \.votes], options: [.old, .new]) { _, change in body("\(change)") }
}
