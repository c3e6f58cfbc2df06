// The wrapper of hiredis.
import Foundation
import Hiredis
import Testing

@MainActor @Suite(.timeLimit(.minutes(2))) struct ConnectionTests {
    @Test func `each kind of answer is read`() async throws {
        let server = try await RedisServer()
        let connection = try await server.connect()
        let bytes = Data([0, 13, 10, 255])
        try await connection.execute("SET", "bytes", RedisArgument(bytes))
        #expect(try await connection.execute("GET", "bytes") == .bytes(bytes))
        #expect(try await connection.execute("SET", "empty", "").text == "OK")
        #expect(try await connection.execute("GET", "empty") == .bytes(Data()))
        #expect(try await connection.execute("GET", "nothing") == .null)
        #expect(try await connection.execute("RPUSH", "list", "a", "", "ä") == .integer(3))
        let list = try await connection.execute("LRANGE", "list", 0, -1)
        #expect(list.values?.map(\.text) == ["a", "", "ä"])
        #expect(
            try await connection.execute("EVAL", "return {1, {}, {'a', false}}", 0)
                == .array([.integer(1), .array([]), .array([.bytes(Data("a".utf8)), .null])]))
    }

    @Test func `a refused command says which one and why, and the connection goes on`() async throws {
        let server = try await RedisServer()
        let connection = try await server.connect()
        try await connection.execute("SET", "text", "a")
        let error = await #expect(throws: RedisError.self) { try await connection.execute("INCR", "text") }
        #expect(
            error?.description == "Redis at \(connection.address) refused INCR: ERR value is not an integer or out of "
                + "range. Correct the command, or the settings of the server.")
        #expect(try await connection.execute("PING").text == "PONG")
    }

    @Test func `where no server listens, the error says what to do`() async throws {
        let server = try await RedisServer()
        await server.stop()
        let error = await #expect(throws: RedisError.self) { try await server.connect() }
        #expect(error?.code == .unreachable)
        #expect(
            error?.description == "There is no connection to Redis at \(server.address): Connection refused. Start "
                + "redis-server there, or give another address.")
    }

    @Test func `when the server dies, commands throw and the process lives`() async throws {
        let server = try await RedisServer()
        let connection = try await server.connect()
        await server.stop(SIGKILL)
        for _ in 0..<3 {
            let error = await #expect(throws: RedisError.self) { try await connection.execute("PING") }
            #expect(error?.code == .disconnected && error?.command == "PING")
        }
        try await server.start()
        #expect(try await server.connect().execute("PING").text == "PONG")
    }

    @Test func `a connection that the server closed is an error while much is being written, too`() async throws {
        let server = try await RedisServer()
        let connection = try await server.connect()
        try await connection.execute("PING")
        try await server.connect().execute("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        let error = await #expect(throws: RedisError.self) {
            try await connection.execute("SET", "large", RedisArgument(Data(count: 50_000_000)))
        }
        #expect(error?.code == .disconnected)
    }

    @Test func `a server that does not answer is waited for as long as was said`() async throws {
        let server = try await RedisServer()
        let connection = try await RedisConnection.connect(to: server.address, timeout: .milliseconds(50))
        server.signal(SIGSTOP)
        let error = await #expect(throws: RedisError.self) { try await connection.execute("PING") }
        #expect(error?.code == .disconnected)
    }

    @Test func `a released connection is closed`() async throws {
        let server = try await RedisServer()
        let connection = try await server.connect()
        for _ in 0..<20 { try await server.connect().execute("PING") }
        // The server notices in its own time.
        while try await connection.execute("CLIENT", "LIST").text?.split(separator: "\n").count != 1 {}
    }

    #if os(Linux)
    @Test func `answers are freed, those in arrays and errors too`() async throws {
        let server = try await RedisServer()
        let connection = try await server.connect()
        try await connection.execute("SET", "large", RedisArgument(Data(count: 1_000_000)))
        func ask() async throws {
            try await connection.execute("MGET", "large", "large")
            try await connection.execute("GET", "large")
            _ = try? await connection.execute("EVAL", "return {err = string.rep('a', 1000000)}", 0)
        }
        try await ask()
        let before = try residentBytes()
        for _ in 0..<100 { try await ask() }
        // 400 MB of answers.
        #expect(try residentBytes() - before < 100_000_000)
    }

    private func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 4_096
    }
    #endif
}
