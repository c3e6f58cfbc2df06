// A client that reads what the status server says.
import NIOCore
import NIOPosix

/// A connection to a server.
struct StatusClient {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    init(port: Int, on group: any EventLoopGroup) async throws {
        channel = try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }
    }

    // Asks for what follows a number, or for the state, calls `begin`, and then `body` with each line, until it returns false.
    func forEachLine(
        after number: Int? = nil, reading begin: () async -> Void = {}, _ body: (String) async throws -> Bool
    ) async throws {
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: "\(number.map { "\($0)" } ?? "")\n"))
            await begin()
            var text = ""
            for try await buffer in inbound {
                text += String(buffer: buffer)
                while let end = text.firstIndex(of: "\n") {
                    let line = String(text[..<end])
                    text.removeSubrange(...end)
                    guard try await body(line) else { return }
                }
            }
        }
    }
}
