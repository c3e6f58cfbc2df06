// A server that tells everybody who connects how far a download is.
import KeyValueObserving
import NIOCore
import NIOPosix

/// Writes a line for each percentage to a connection, and closes it when the download has finished.
final class StatusHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let download: Download
    private var observation: KeyValueObservation?

    init(of download: Download) { self.download = download }

    func channelActive(context: ChannelHandlerContext) {
        let (channel, name) = (context.channel, download.name)
        // Other threads change the download. The handler runs where the channel is at home.
        observation = download.observe(
            \.percent, options: [.initial, .new], on: EventLoopExecutor(eventLoop: context.eventLoop)
        ) { change in
            channel.eventLoop.assertInEventLoop()
            let percent = change.requiredNewValue
            channel.writeAndFlush(ByteBuffer(string: "\(name): \(percent) %\n"), promise: nil)
            // The observation ends when the channel is inactive.
            if percent >= 100 { channel.close(promise: nil) }
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
    ///   - group: Whose event loops serve the connections.
    /// - Throws: What SwiftNIO throws if there is no port.
    init(of download: Download, on group: any EventLoopGroup) async throws {
        channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(StatusHandler(of: download))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    func close() async throws { try await channel.close() }
}
