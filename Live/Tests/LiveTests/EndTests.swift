// How connections, and the server, end.
import Foundation
import InMemoryLogging
import KeyValueObserving
import Logging
import Testing

@testable import live

#if os(Linux)
@Suite(.timeLimit(.minutes(1)), .serialized) struct EndTests {
    /// Connections that have asked for events and have the first of them, with as small a buffer as the system allows.
    private func followers(_ count: Int, of server: ServerProcess) async throws -> [Follower] {
        var followers: [Follower] = []
        for _ in 0..<count { followers.append(try await Follower(server.port)) }
        return followers
    }

    @Test func `clients that close are gone while nothing changes`() async throws {
        let server = try ServerProcess()
        let before = try server.descriptors
        let followers = try await followers(200, of: server)
        #expect(try server.descriptors >= before + 200)
        // A connection that is closed before all has been read is reset, and another one ends.
        for follower in followers[..<100] { follower.readSnapshot() }
        for follower in followers { follower.close() }
        try await server.waitForDescriptors { $0 <= before }
    }

    @Test func `clients that do not read, or too slowly, are ended, and memory stays as it is`() async throws {
        let server = try ServerProcess(changesPerSecond: 4_000)
        // As much as it takes to serve as many that do read.
        var reader = Copy()
        let before = try server.descriptors
        let dead = try await followers(50, of: server)
        let slow = try await followers(50, of: server)
        let reading = Task {
            while !Task.isCancelled {
                for follower in slow { follower.read(upTo: 512) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(try await reader.follow(server.port) { _ in try server.descriptors > before + 1 })
        let full = try server.residentBytes
        // Others come, and are ended too.
        for _ in 0..<3 {
            let others = try await followers(50, of: server)
            #expect(try await reader.follow(server.port) { _ in try server.descriptors > before + 1 })
            for follower in others { follower.close() }
        }
        reading.cancel()
        #expect(try server.residentBytes - full < 8 << 20)
        // A client that reads has missed nothing meanwhile.
        #expect(reader.snapshots == 1 && reader.gaps.isEmpty)
        for follower in dead + slow { follower.close() }
        try await server.waitForDescriptors { $0 <= before }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends the server with exit code 0, whatever its clients do`(signal: Int32) async throws {
        let server = try ServerProcess(changesPerSecond: 500)
        let followers = try await followers(20, of: server)
        var reader = Copy()
        // The connection ends with the server.
        #expect(
            try await !reader.follow(server.port) { copy in
                if copy.changes == 100 { server.signal(signal) }
                return true
            })
        #expect(await server.end() == 0)
        for follower in followers { follower.close() }
    }

    @Test func `a signal ends a server without clients, while nothing changes`() async throws {
        let server = try ServerProcess()
        server.signal(SIGINT)
        #expect(await server.end() == 0)
    }

    @Test func `what the library notes is logged`() {
        let handler = InMemoryLogHandler()
        let before = KeyValueDiagnostics.noteHandler
        defer { KeyValueDiagnostics.noteHandler = before }
        KeyValueDiagnostics.log(to: Logger(label: "live") { _ in handler })
        KeyValueDiagnostics.noteHandler("a mistake")
        #expect(handler.entries.map(\.level) == [.warning])
        #expect(handler.entries.map { "\($0.message)" } == ["a mistake"])
    }
}
#endif
