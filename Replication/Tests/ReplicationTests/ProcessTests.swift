// The programs, each in a process of its own.
import Board
import Foundation
import Hiredis
import Testing

@MainActor @Suite(.timeLimit(.minutes(2))) struct ProcessTests {
    private func reader(of server: RedisServer) throws -> RunningProgram {
        try RunningProgram("board-reader", "\(server.address.port)", "board")
    }

    private func writer(to server: RedisServer) throws -> RunningProgram {
        try RunningProgram("board-writer", "\(server.address.port)", "board", "10")
    }

    /// Waits until a reader has these cards.
    private func expect(_ cards: [String], in reader: RunningProgram) async throws {
        _ = try await reader.line { $0.hasPrefix("at ") && $0.hasSuffix(": \(cards)") }
    }

    @Test func `readers print what a writer does`() async throws {
        let server = try await RedisServer()
        let (reader, writer) = (try reader(of: server), try writer(to: server))
        try await expect([], in: reader)
        try writer.write("add milk")
        #expect(await reader.nextLine() == "insertion in cards at 0: [\"milk\"]")
        try await expect(["milk"], in: reader)
        try writer.write("add bread")
        try await expect(["milk", "bread"], in: reader)
        try writer.write("do milk")
        #expect(await reader.nextLine() == "setting of cards, [\"milk\", \"bread\"] → [\"bread\", \"milk\"]")
        #expect(await reader.nextLine() == "insertion in votes: [\"milk\": 1]")
        try await expect(["bread", "milk"], in: reader)
        try writer.write("remove 0")
        try writer.closeInput()
        try await expect(["milk"], in: reader)
        #expect(await writer.end() == 0)
    }

    @Test func `a reader that is killed leaves the others alone, and starts again with a snapshot`() async throws {
        let server = try await RedisServer()
        let writer = try writer(to: server)
        let (killed, other) = (try reader(of: server), try reader(of: server))
        try writer.write("add milk")
        try await expect(["milk"], in: killed)
        killed.signal(SIGKILL)
        #expect(await killed.end() == SIGKILL)
        try writer.write("add bread")
        try await expect(["milk", "bread"], in: other)
        let again = try reader(of: server)
        try await expect(["milk", "bread"], in: again)
        try writer.write("add eggs")
        for reader in [again, other] { try await expect(["milk", "bread", "eggs"], in: reader) }
    }

    @Test func `a writer that is killed is followed by another one, with a board of its own`() async throws {
        let server = try await RedisServer()
        let killed = try writer(to: server)
        let reader = try reader(of: server)
        try killed.write("add milk")
        try await expect(["milk"], in: reader)
        killed.signal(SIGKILL)
        #expect(await killed.end() == SIGKILL)
        let next = try writer(to: server)
        try next.write("add bread")
        try await expect(["bread"], in: reader)
    }

    @Test func `a reader that stood still finds the stream cut off, and takes a snapshot`() async throws {
        let server = try await RedisServer()
        let writer = try writer(to: server)
        let (reader, other) = (try reader(of: server), try reader(of: server))
        var cards = ["0"]
        try writer.write("add 0")
        try await expect(cards, in: reader)
        reader.signal(SIGSTOP)
        // The other one waits for each message, so these are three intervals: the place of the first is gone.
        for number in 1...30 {
            cards.append("\(number)")
            try writer.write("add \(number)")
            try await expect(cards, in: other)
        }
        reader.signal(SIGCONT)
        // It had asked for one message more before it stood still.
        var setting = ""
        while let line = await reader.nextLine(), !line.hasPrefix("at ") || !line.hasSuffix(": \(cards)") {
            if line.hasPrefix("setting of cards") { setting = line }
        }
        #expect(setting.contains("\"20\""))
    }
}
