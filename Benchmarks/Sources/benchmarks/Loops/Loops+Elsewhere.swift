// Changes that are delivered elsewhere: in an actor, and as the elements of a sequence. Recorded, without bars.
import BenchmarkModels
import Dispatch
import KeyValueObserving
import Synchronization

extension Loop {
    static var deliveriesElsewhere: [Loop] {
        [
            Loop("elsewhere-actor/observed") {
                let (model, recipient) = (ObservedModel(), Recipient())
                let arrivals = Arrivals()
                let observation = model.changes(of: \.number).deliver(to: recipient) { _, _ in
                    arrivals.note()
                }
                return { count in
                    arrivals.wait(for: count) { repeated(count) { model.number = $0 } }
                    withExtendedLifetime((observation, recipient)) {}
                }
            },
            Loop("elsewhere-sequence/observed") {
                let model = ObservedModel()
                let arrivals = Arrivals()
                let changes = model.changes(of: \.number)
                arrivals.wait(for: 1) {
                    Task.detached {
                        var iterator = changes.makeAsyncIterator()
                        arrivals.note()
                        while await iterator.next() != nil { arrivals.note() }
                    }
                }
                return { count in arrivals.wait(for: count) { repeated(count) { model.number = $0 } } }
            },
            Loop("elsewhere-sequence/stream") {
                let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
                let arrivals = Arrivals()
                Task.detached { for await _ in stream { arrivals.note() } }
                return { count in arrivals.wait(for: count) { repeated(count) { continuation.yield($0) } } }
            },
        ]
    }
}

private actor Recipient {}

/// Counts what arrives on other threads.
private final class Arrivals: Sendable {
    private let left = Atomic(0)
    private let isComplete = DispatchSemaphore(value: 0)

    func note() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isComplete.signal() }
    }

    /// Runs `body` and waits until so much has arrived.
    func wait(for count: Int, after body: () -> Void) {
        left.store(count, ordering: .releasing)
        body()
        isComplete.wait()
    }
}
