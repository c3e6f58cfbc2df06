// A client that keeps a copy of the board.
import BoardModel
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// One connection, on which one request is sent.
struct Connection {
    let channel: NIOAsyncChannel<HTTPClientResponsePart, HTTPPart<HTTPRequestHead, IOData>>

    init(to port: Int) async throws {
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(
            host: "127.0.0.1", port: port
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
            }
        }
    }

    /// Sends a request, and calls a function with the parts of the answer; then it closes the connection.
    func send<Result: Sendable>(
        _ path: String, method: HTTPMethod = .GET, _ headers: [(String, String)] = [], _ body: String = "",
        receive: (NIOAsyncChannelInboundStream<HTTPClientResponsePart>) async throws -> Result
    ) async throws -> Result {
        try await channel.executeThenClose { inbound, outbound in
            let headers = HTTPHeaders(headers + [("Host", "127.0.0.1"), ("Content-Length", "\(body.utf8.count)")])
            try await outbound.write(
                .head(HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)))
            try await outbound.write(.body(.byteBuffer(ByteBuffer(string: body))))
            try await outbound.write(.end(nil))
            return try await receive(inbound)
        }
    }

    /// The answer to a request: its status and text.
    static func answer(
        from port: Int, _ path: String, method: HTTPMethod = .GET, type: String = "application/json",
        _ body: String = ""
    ) async throws -> (status: UInt, text: String) {
        try await Self(to: port).send(path, method: method, [("Content-Type", type)], body) { parts in
            var (status, text) = (UInt(0), "")
            for try await part in parts {
                switch part {
                case .head(let head): status = head.status.code
                case .body(let bytes): text += String(buffer: bytes)
                case .end: return (status, text)
                }
            }
            return (status, text)
        }
    }
}

/// An event of a stream.
struct Event: Sendable {
    var name = ""
    var number = 0
    var data = ""
}

/// A copy of the board, which outlives the connections that keep it.
struct Copy: Sendable {
    private(set) var state: BoardState?
    private(set) var number: Int?
    private(set) var snapshots = 0
    private(set) var changes = 0
    /// The numbers that came after another one than that before them.
    private(set) var gaps: [Int] = []

    /// Forgets which changes it has, or takes another number for the newest one.
    mutating func pretend(_ number: Int?) { self.number = number }

    mutating func receive(_ event: Event) throws {
        switch event.name {
        case "snapshot":
            state = try JSONDecoder().decode(BoardState.self, from: Data(event.data.utf8))
            snapshots += 1
        default:
            if event.number != number.map({ $0 + 1 }) { gaps.append(event.number) }
            try state?.apply(Data(event.data.utf8))
            changes += 1
        }
        number = event.number
    }

    /// Connects, and follows the board until a function returns false, or the server closes the connection.
    ///
    /// - Returns: Whether the function ended it.
    @discardableResult
    mutating func follow(_ port: Int, while goesOn: (Self) async throws -> Bool) async throws -> Bool {
        var copy = self
        let headers = number.map { [("Last-Event-ID", "\($0)")] } ?? []
        let isEnded = try await Connection(to: port).send("/events", headers) { parts in
            var (rest, event) = ("", Event())
            do {
                for try await case .body(let bytes) in parts {
                    rest += String(buffer: bytes)
                    while let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) {
                        let line = rest[..<end]
                        if line.isEmpty {
                            try copy.receive(event)
                            if try await !goesOn(copy) { return true }
                        } else if let colon = line.firstIndex(of: ":") {
                            let value = String(line[colon...].dropFirst(2))
                            switch line[..<colon] {
                            case "event": event.name = value
                            case "id": event.number = Int(value) ?? -1
                            default: event.data = value
                            }
                        }
                        rest = String(rest[rest.index(after: end)...])
                    }
                }
            } catch is IOError, is ChannelError, HTTPParserError.invalidEOFState {
                // So ends a connection that the server closes.
            }
            return false
        }
        self = copy
        return isEnded
    }
}
