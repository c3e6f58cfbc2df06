// One client that follows the board.
import Hummingbird
import HummingbirdCore
import KeyValueObserving
import NIOCore
import ServiceLifecycle
import Synchronization

/// Sends events over a connection until the client closes it, the client is too slow, or the server ends.
struct EventStream: Sendable {
    let journal: Journal
    let channel: any Channel

    /// The number of the newest change that the connection has received.
    private final class Position: Sendable {
        let number: Atomic<Int>
        init(_ number: Int) { self.number = Atomic(number) }
    }

    /// Sends the changes after a number, or a snapshot and the changes after it, until the client closes.
    ///
    /// - Throws: Always throws `CancellationError` or an error of SwiftNIO, so that nothing waits for the client any
    ///   more.
    func send(after number: Int?, to writer: inout any ResponseBodyWriter, until body: RequestBody) async throws {
        // The system buffers little for a client that does not read, and detects a client whose machine is gone.
        try await channel.setOption(.socketOption(.so_sndbuf), value: 1 << 16).get()
        try await channel.setOption(.socketOption(.so_keepalive), value: 1).get()
        let sent = Position(journal.newest)
        // A write waits for its client. An observer of the number does not wait, so it enforces the bound.
        let bound = journal.observe(\.newest, options: .new) { @Sendable [channel] journal, change in
            if change.requiredNewValue - sent.number.load(ordering: .relaxed) > journal.capacity {
                channel.close(promise: nil)
            }
        }
        defer { bound.invalidate() }
        try await withGracefulShutdownHandler {
            try await body.consumeWithCancellationOnInboundClose { _ in
                var position = number
                // While a write waits, only the newest number waits, because the journal has the changes.
                for await _ in journal.values(of: \.newest).buffer(policy: .bufferingNewest(1)).labeled("client") {
                    while let events = journal.events(after: &position) {
                        try await writer.write(events)
                        if let position { sent.number.store(position, ordering: .relaxed) }
                    }
                }
                throw CancellationError()
            }
        } onGracefulShutdown: { [channel] in
            channel.close(promise: nil)
        }
    }
}
