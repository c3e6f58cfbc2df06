// What the tests ask the server with.
import FlyingFox
import FlyingSocks
import Foundation
import KeyValueInspector
import Testing

/// Asks an inspector, with headers as one likes.
struct Client {
    let port: UInt16
    let token: String

    init(_ inspector: KeyValueInspector) async throws {
        let url = try #require(await inspector.url)
        port = UInt16(try #require(url.port))
        token = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first?.value)
        #expect(url.host == "127.0.0.1")
    }

    /// Connects; with a small receive buffer, so that a page that does not read has soon got all that it can hold.
    private func connect(receiveBuffer: Int32? = nil) async throws -> AsyncSocket {
        let address: sockaddr_in = try .inet(ip4: "127.0.0.1", port: port)
        guard let receiveBuffer else { return try await AsyncSocket.connected(to: address, pool: .client) }
        let socket = try Socket(domain: AF_INET)
        // The window that a connection begins with comes from it, so it is set first.
        try socket.setValue(receiveBuffer, for: .receiveBufferSize)
        try socket.setFlags(.nonBlocking)
        let connection = try await AsyncSocket(socket: socket, pool: .client)
        try await connection.connect(to: address)
        return connection
    }

    private func send(_ lines: [String], on socket: AsyncSocket) async throws -> (status: String, headers: [String]) {
        try await socket.write(Data((lines + ["", ""]).joined(separator: "\r\n").utf8))
        var head: [UInt8] = []
        while head.suffix(4) != [13, 10, 13, 10] { head += try await socket.read(bytes: 1) }
        let answer = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        return (String(answer[0].split(separator: " ")[1]), Array(answer.dropFirst()))
    }

    /// The status and the headers of the answer to a request.
    func ask(
        _ method: String = "GET", _ path: String = "/", token: String?, host: String? = nil, origin: String? = nil,
        namesHost: Bool = true
    ) async throws -> (status: String, headers: [String]) {
        let socket = try await connect()
        defer { try? socket.close() }
        let query = token.map { "?token=\($0)" } ?? ""
        var lines = ["\(method) \(path)\(query) HTTP/1.1"]
        if namesHost { lines.append("Host: \(host ?? "127.0.0.1:\(port)")") }
        if let origin { lines.append("Origin: \(origin)") }
        return try await send(lines, on: socket)
    }

    /// Opens the connection that events come from.
    func open(origin: String? = nil, receiveBuffer: Int32? = nil) async throws -> Connection {
        let socket = try await connect(receiveBuffer: receiveBuffer)
        var lines = [
            "GET /events?token=\(token) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        ]
        if let origin { lines.append("Origin: \(origin)") }
        let answer = try await send(lines, on: socket)
        return Connection(socket: socket, status: answer.status)
    }
}

/// A WebSocket, as far as the inspector uses one.
struct Connection {
    let socket: AsyncSocket
    let status: String

    func close() { try? socket.close() }

    /// Sends a text of fewer than 126 bytes.
    func send(_ text: String) async throws {
        let payload = Array(text.utf8)
        // Masked with zeros, which leaves it as it is.
        try await socket.write(Data([0x81, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload))
    }

    /// The next message.
    func next() async throws -> [String: Any] {
        let short = Int(try await socket.read(bytes: 2)[1])
        let more = short == 127 ? 8 : short == 126 ? 2 : 0
        let count = more == 0 ? short : try await socket.read(bytes: more).reduce(0) { $0 << 8 | Int($1) }
        let payload = try await socket.read(bytes: count)
        return try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    }

    /// The next message of a type that has something.
    func next(_ type: String, where has: ([String: Any]) -> Bool = { _ in true }) async throws -> [String: Any] {
        while true {
            let message = try await next()
            if message["type"] as? String == type, has(message) { return message }
        }
    }
}
