// Delivery on event loops of SwiftNIO, and the server that uses it.
import KeyValueObserving
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import status

@Suite struct StatusTests {
    private let download = Download("a")

    @Test func `handlers run in the event loop, once for each change and in order`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let all = loop.makePromise(of: [Int].self)
        let seen = NIOLoopBoundBox.makeBoxSendingValue([Int](), eventLoop: loop)
        let token = download.changes(of: \.percent, options: .new).deliver(on: EventLoopExecutor(eventLoop: loop)) {
            change in
            #expect(loop.inEventLoop)
            seen.value.append(change.requiredNewValue)
            if seen.value.count == 1_000 { all.succeed(seen.value) }
        }
        await withTaskGroup { [download] tasks in
            for _ in 0..<4 {
                tasks.addTask { for _ in 0..<250 { download.percent += 1 } }
            }
        }
        #expect(try await all.futureResult.get() == Array(1...1_000))
        withExtendedLifetime(token) {}
    }

    @Test func `nothing arrives after the end`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let count = NIOLoopBoundBox.makeBoxSendingValue(0, eventLoop: loop)
        let token = download.changes(of: \.percent).deliver(on: EventLoopExecutor(eventLoop: loop)) { _ in
            count.value += 1
        }
        try await loop.submit { [download] in
            download.percent = 1
            token.invalidate()
        }.get()
        // What was accepted before has run when this does.
        #expect(try await loop.submit { count.value }.get() == 0)
    }

    @Test func `a connection is told where the download stands, and each change as a line of JSON`() async throws {
        download.percent = 10
        let server = try await StatusServer(of: download, on: MultiThreadedEventLoopGroup.singleton)
        var values: [Int] = []
        try await StatusClient(server, on: MultiThreadedEventLoopGroup.singleton).forEachLine { line in
            values.append(contentsOf: line.firstMatch(of: /"new":(\d+)/).flatMap { Int($0.1) }.map { [$0] } ?? [])
            download.percent += 45
            return values.count < 3
        }
        #expect(values == [10, 55, 100])
        try await server.close()
    }

    @Test func `who disconnects is told nothing more, and observes no longer`() throws {
        let channel = try connection()
        #expect(try lines(to: channel).count == 1)
        download.percent = 1
        #expect(try lines(to: channel).map { $0.contains(#""name":"percent""#) } == [true])
        #expect(download.observationInfo.count == 1)
        _ = try channel.finish()
        #expect(download.observationInfo.isEmpty)
        download.percent = 2
        #expect(try lines(to: channel) == [])
    }

    /// A connection without a network, whose event loop runs when the test runs it.
    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: StatusHandler(of: download))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func lines(to channel: EmbeddedChannel) throws -> [String] {
        channel.embeddedEventLoop.run()
        var lines: [String] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { lines.append(String(buffer: buffer)) }
        return lines
    }
}
