// What the writer and the followers decide, without a server.
import FoundationEssentials
import Testing

@testable import Replication

@Suite struct OutboxTests {
    private var outbox = Outbox<String>(limit: 4, interval: 3)

    /// What waits, as text; all of it is confirmed.
    private mutating func drain() -> [String] {
        var texts: [String] = []
        while let message = outbox.first {
            switch message.content {
            case .changes(let data): texts.append("\(message.position) \(String(decoding: data, as: UTF8.self))")
            case .snapshot(let state, let oldest): texts.append("\(message.position) \(state) since \(oldest)")
            }
            outbox.confirm(message.position)
        }
        return texts
    }

    private mutating func append(_ text: String) { outbox.append(Data(text.utf8), state: "after \(text)") }

    @Test mutating func `an epoch begins with a snapshot, and messages are numbered`() throws {
        #expect(outbox.isInterrupted)
        append("lost")
        outbox.begin("state", at: 100)
        append("a")
        append("b")
        #expect(drain() == ["100-0 state since 100-0", "100-1 a", "100-2 b"])
        #expect(outbox.confirmed == Position(epoch: 100, sequence: 2))
    }

    @Test mutating func `there are snapshots from time to time, which keep what follows the one before`() {
        outbox.begin("state", at: 100)
        var texts = drain()
        for text in ["a", "b", "c", "d", "e", "f"] {
            append(text)
            texts += drain()
        }
        #expect(
            texts == [
                "100-0 state since 100-0", "100-1 a", "100-2 b", "100-3 c", "100-4 after c since 100-0", "100-5 d",
                "100-6 e", "100-7 f", "100-8 after f since 100-4",
            ])
    }

    @Test mutating func `what is too much is dropped, and a later epoch begins`() {
        outbox.begin("state", at: 100)
        for text in ["a", "b"] { append(text) }
        #expect(!outbox.isInterrupted)
        // With it comes a snapshot, the fifth message.
        append("c")
        #expect(outbox.isInterrupted && outbox.first == nil)
        append("d")
        // The answer to what was under way.
        outbox.confirm(Position(epoch: 100, sequence: 0))
        #expect(outbox.first == nil)
        // The clock was set back.
        outbox.begin("state with d", at: 50)
        outbox.confirm(Position(epoch: 100, sequence: 1))
        #expect(drain() == ["101-0 state with d since 101-0"])
    }

    @Test mutating func `a new connection goes on where the server is`() throws {
        outbox.begin("state", at: 100)
        _ = drain()
        append("a")
        append("b")
        try outbox.resume(after: Position(epoch: 100, sequence: 0))
        #expect(outbox.first?.position.sequence == 1)
        // The server stored it, and the answer was lost.
        try outbox.resume(after: Position(epoch: 100, sequence: 1))
        #expect(drain() == ["100-2 b"])
    }

    @Test(arguments: [nil, Position(epoch: 100, sequence: 0), Position(epoch: 99, sequence: 7)])
    mutating func `a server that lost messages gets a later epoch`(stored: Position?) throws {
        outbox.begin("state", at: 100)
        append("a")
        _ = drain()
        append("b")
        try outbox.resume(after: stored)
        #expect(outbox.isInterrupted)
        outbox.begin("new", at: 100)
        #expect(drain() == ["101-0 new since 101-0"])
    }

    @Test mutating func `a first connection begins after what others wrote`() throws {
        try outbox.resume(after: Position(epoch: 200, sequence: 5))
        outbox.begin("state", at: 100)
        #expect(drain() == ["201-0 state since 201-0"])
    }

    @Test mutating func `a writer that was replaced stops`() throws {
        outbox.begin("state", at: 100)
        _ = drain()
        let other = Position(epoch: 101, sequence: 0)
        let error = #expect(throws: ReplicationError.replaced(by: other)) { try outbox.resume(after: other) }
        #expect(error?.description.contains("at 101-0") == true)
    }
}

@Suite struct CursorTests {
    private func position(_ sequence: UInt64, _ epoch: UInt64 = 100) -> Position {
        Position(epoch: epoch, sequence: sequence)
    }

    @Test func `a snapshot and then the next messages, each once`() {
        var cursor = Cursor()
        #expect(cursor.seen == .start && !cursor.isNext(position(0)) && cursor.needs(position(4)))
        cursor.take(position(4))
        for wrong in [position(4), position(6), position(5, 101), position(0, 101)] { #expect(!cursor.isNext(wrong)) }
        #expect(cursor.isNext(position(5)))
        cursor.pass(position(5))
        #expect(cursor.seen == position(5) && !cursor.isNext(position(5)) && cursor.isNext(position(6)))
    }

    @Test func `a copy that follows needs a snapshot of another epoch only`() {
        var cursor = Cursor()
        cursor.take(position(4))
        cursor.pass(position(5))
        #expect(!cursor.needs(position(4)) && !cursor.needs(position(9)))
        #expect(cursor.needs(position(0, 101)) && cursor.needs(position(0, 99)))
    }

    @Test func `after a gap it takes a snapshot that it has not taken, and waits for one after what it saw`() {
        var cursor = Cursor()
        cursor.take(position(4))
        cursor.skip(to: position(8))
        #expect(cursor.position == nil && cursor.seen == position(8))
        #expect(!cursor.needs(position(4)) && cursor.needs(position(9)))
        cursor.take(position(9))
        #expect(cursor.isNext(position(10)))
    }

    @Test(arguments: ["", "1", "1-", "-1", "1-2-3", "a-1", "1--2"])
    func `what is no position is none`(text: String) { #expect(Position(text) == nil) }

    @Test func `positions are ordered by epoch, then by number`() {
        #expect(position(9) < position(0, 101) && position(9) < position(10) && Position("100-9") == position(9))
    }
}
