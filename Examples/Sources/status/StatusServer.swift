// A server that tells everybody who connects how far a download is.
import Foundation
import KeyValueObserving
import NIOCore
import NIOPosix

/// Writes each change to a connection, as a line of JSON.
final class StatusHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let download: Download
    private var observation: KeyValueObservation?

    init(of download: Download) { self.download = download }

    func channelActive(context: ChannelHandlerContext) {
        let (channel, loop) = (context.channel, EventLoopExecutor(eventLoop: context.eventLoop))
        // Other threads change the download. The handler runs where the channel is at home. A slow reader misses changes.
        observation = download.changes(of: \.percent, options: [.initial, .old, .new], bufferingPolicy: .newest(100))
            .deliver(on: loop) { change in
                guard let json = try? JSONEncoder().encode(change) else { return }
                channel.writeAndFlush(ByteBuffer(bytes: json + [UInt8(ascii: "\n")]), promise: nil)
            }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Here, on the event loop, nothing is delivered after the end.
        observation = nil
    }
}

/// Listens on a port of this machine until it is closed.
struct StatusServer {
    let channel: any Channel

    /// - Parameters:
    ///   - download: What to report on.
    ///   - port: Where to listen; 0 for any port that is free.
    ///   - group: Whose event loops serve the connections.
    /// - Throws: What SwiftNIO throws if there is no port.
    init(of download: Download, port: Int = 0, on group: any EventLoopGroup) async throws {
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(StatusHandler(of: download))
                }
            }
            .bind(host: "127.0.0.1", port: port)
            .get()
    }

    func close() async throws { try await channel.close() }
}
