// Delivery on an event loop of SwiftNIO.
import KeyValueObserving
import NIOCore

/// Runs handlers on an event loop: `model.changes(of: \.property).deliver(on: EventLoopExecutor(eventLoop: channel.eventLoop))`.
struct EventLoopExecutor: KeyValueChangeExecutor {
    let eventLoop: any EventLoop

    func execute(_ job: @escaping @Sendable () -> Void) { eventLoop.execute(job) }
}
