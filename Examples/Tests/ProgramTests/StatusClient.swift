// A client that reads what the status server says.
import NIOCore
import NIOPosix

@testable import status

/// A connection to a server.
struct StatusClient {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    init(_ server: StatusServer, on group: any EventLoopGroup) async throws {
        guard let address = server.channel.localAddress else { throw ChannelError.ioOnClosedChannel }
        channel = try await ClientBootstrap(group: group).connect(to: address) { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }
    }

    /// Calls a function with each line, until it returns false.
    func forEachLine(_ body: (String) async -> Bool) async throws {
        try await channel.executeThenClose { inbound, _ in
            var text = ""
            for try await buffer in inbound {
                text += String(buffer: buffer)
                while let end = text.firstIndex(of: "\n") {
                    let line = String(text[..<end])
                    text.removeSubrange(...end)
                    guard await body(line) else { return }
                }
            }
        }
    }
}
