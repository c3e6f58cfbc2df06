// What a client receives: its copy is the board.
import BoardModel
import Foundation
import KeyValueObserving
import NIOCore
import NIOHTTP1
import Testing

@testable import live

@Suite(.timeLimit(.minutes(1))) struct FollowTests {
    /// What the board is now: a snapshot.
    private func board(of server: ServerProcess) async throws -> BoardState? {
        var copy = Copy()
        try await copy.follow(server.port) { $0.state == nil }
        return copy.state
    }

    private func add(_ text: String, to server: ServerProcess) async throws {
        let body = String(decoding: try JSONEncoder().encode(["text": text]), as: UTF8.self)
        #expect(try await Connection.answer(from: server.port, "/cards", method: .POST, body).status == 201)
    }

    @Test func `a copy to which each change is applied is the board, with no number left out`() async throws {
        let server = try ServerProcess(changesPerSecond: 2_000)
        var copy = Copy()
        #expect(try await copy.follow(server.port) { $0.changes < 5_000 })
        #expect(copy.snapshots == 1 && copy.gaps.isEmpty)
        #expect(copy.state.map { !$0.cards.isEmpty && $0.finished > 0 } == true)
        // What another client gets as a snapshot is what this one has at that number.
        var other = Copy()
        try await other.follow(server.port) { $0.state == nil }
        try await copy.follow(server.port) { [number = other.number] in $0.number.map { $0 < number! } ?? true }
        #expect(copy.number == other.number && copy.state == other.state)
        #expect(copy.snapshots == 1 && copy.gaps.isEmpty)
    }

    @Test func `a client that comes back gets what it missed`() async throws {
        let server = try ServerProcess()
        var copy = Copy()
        try await copy.follow(server.port) { $0.state == nil }
        for text in ["milk", "bread", "two\nlines, \"quoted\" and ünicode"] { try await add(text, to: server) }
        try await copy.follow(server.port) { $0.changes < 3 }
        #expect(copy.snapshots == 1 && copy.changes == 3 && copy.gaps.isEmpty)
        #expect(try await copy.state == board(of: server))
        #expect(copy.state?.cards.map(\.id) == [1, 2, 3])
    }

    @Test func `a client with a number that is too old, or of another run, gets a snapshot`() async throws {
        let server = try ServerProcess(changesPerSecond: 2_000)
        var copy = Copy()
        try await copy.follow(server.port) { $0.state == nil }
        let first = copy.number
        // More changes than the journal keeps.
        try await copy.follow(server.port) { $0.changes < 1_500 }
        for number in [first, 7, -1, .max, .min] {
            let before = (copy.snapshots, copy.gaps.count)
            copy.pretend(number)
            try await copy.follow(server.port) { $0.snapshots == before.0 }
            #expect(copy.snapshots == before.0 + 1 && copy.gaps.count == before.1)
        }
    }

    @Test func `what a journal sends is a snapshot and the changes after it, in events`() throws {
        let board = Board()
        let journal = Journal(of: board, capacity: 3)
        var (start, position) = (journal.newest, Int?.none)
        #expect(
            journal.events(after: &position).map { String(buffer: $0) }
                == "event: snapshot\nid: \(start)\ndata: {\"cards\":[],\"finished\":0}\n\n")
        #expect(position == start && journal.events(after: &position) == nil)
        board.mutable(\.cards).append(Card(id: 1, text: "b"))
        board.finished = 1
        #expect(
            journal.events(after: &position).map { String(buffer: $0) } == """
                event: change
                id: \(start + 1)
                data: {"kind":"insertion","name":"cards","new":[{"id":1,"progress":0,"text":"b"}],"positions":[0]}

                event: change
                id: \(start + 2)
                data: {"kind":"setting","name":"finished","new":1,"old":0}


                """)
        for finished in 2...4 { board.finished = finished }
        position = start + 2
        #expect(journal.events(after: &position).map { String(buffer: $0) }?.contains("event: change") == true)
        (position, start) = (start + 1, journal.newest)
        #expect(journal.events(after: &position).map { String(buffer: $0) }?.contains("event: snapshot") == true)
        #expect(position == start)
    }

    @Test func `a request that makes no sense changes nothing`() async throws {
        let server = try ServerProcess()
        for (body, status) in [
            ("{}", 400), (#"{"text":""}"#, 422), ("{\"text\":\"\(String(repeating: "a", count: 201))\"}", 422),
        ] {
            #expect(
                try await Connection.answer(from: server.port, "/cards", method: .POST, body).status == UInt(status))
        }
        let form = try await Connection.answer(
            from: server.port, "/cards", method: .POST, type: "text/plain", #"{"text":"a"}"#)
        #expect(form.status == 415)
        for _ in 0..<100 { try await add("a", to: server) }
        #expect(try await Connection.answer(from: server.port, "/cards", method: .POST, #"{"text":"a"}"#).status == 422)
        #expect(try await board(of: server)?.cards.count == 100)
    }

    @Test func `the page is served at two paths`() async throws {
        let server = try ServerProcess()
        for path in ["/", "/board"] {
            let (status, text) = try await Connection.answer(from: server.port, path)
            #expect(status == 200 && text.contains("new EventSource('/events')"))
        }
        #expect(try await Connection.answer(from: server.port, "/none").status == 404)
    }
}
