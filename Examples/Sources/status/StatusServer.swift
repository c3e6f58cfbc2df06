// A subscription over a socket: the state, then numbered changes, for each client as fast as it reads.
import KeyValueObserving
import NIOCore
import NIOPosix

/// Listens on a port of this machine until its task is canceled.
///
/// A client sends the number of the last change that it has, or an empty line.
struct StatusServer {
    private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let channel: NIOAsyncChannel<Client, Never>
    private let journal: Journal

    /// The port that it listens on.
    var port: Int { channel.channel.localAddress?.port ?? 0 }

    /// - Parameters:
    ///   - journal: What to report.
    ///   - port: Where to listen; 0 for any port that is free.
    ///   - group: Whose event loops serve the connections.
    /// - Throws: What SwiftNIO throws if there is no port.
    init(of journal: Journal, port: Int = 0, on group: any EventLoopGroup) async throws {
        self.journal = journal
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try Client(wrappingChannelSynchronously: channel) }
            }
    }

    /// Serves all clients; returns, with their connections closed, when its task is canceled.
    func run() async throws {
        try await withThrowingDiscardingTaskGroup { tasks in
            try await channel.executeThenClose { clients in
                // A client whose connection breaks ends alone.
                for try await client in clients { tasks.addTask { try? await serve(client) } }
            }
            tasks.cancelAll()
        }
    }

    private func serve(_ client: Client) async throws {
        try await client.executeThenClose { inbound, outbound in
            var requests = inbound.makeAsyncIterator()
            var request = ""
            while !request.contains("\n"), let bytes = try await requests.next() { request += String(buffer: bytes) }
            let position = Int(request.prefix { $0 != "\n" })
            try await withThrowingDiscardingTaskGroup { tasks in
                tasks.addTask { try await send(after: position, to: outbound) }
                // The client sends nothing more. When its side closes, end the connection, even while nothing changes.
                while try await requests.next() != nil {}
                tasks.cancelAll()
            }
        }
    }

    /// Sends lines until its task is canceled, or the connection breaks.
    private func send(after position: Int?, to outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws {
        var position = position
        // While a write waits for the client, no more than the newest number waits: the journal has the changes.
        for await _ in journal.values(of: \.last).buffer(policy: .bufferingNewest(1)).labeled("client") {
            while let lines = try journal.lines(after: &position) { try await outbound.write(lines) }
        }
    }
}
