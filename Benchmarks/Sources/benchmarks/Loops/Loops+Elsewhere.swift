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
            reading("elsewhere-sequence/observed", with: 1) {
                $0.changes(of: \.number, options: [.initial, .old, .new])
            },
            reading("elsewhere-sequence/values", with: 1) { $0.values(of: \.number) },
            streaming("elsewhere-sequence/stream", to: 1),
            reading("elsewhere-50/observed", with: 50) { $0.changes(of: \.number, options: [.initial, .old, .new]) },
            reading("elsewhere-50/values", with: 50) { $0.values(of: \.number) },
            Loop("elsewhere-50/any-type") {
                // No part of the library is compiled for this type.
                let (model, arrivals) = (ReadingModel(), Arrivals())
                follow(model.values(of: \.reading), with: 50, arrivals)
                return { count in
                    arrivals.wait(for: count * 50) { repeated(count) { model.reading = Reading(number: $0) } }
                }
            },
            streaming("elsewhere-50/stream", to: 50),
        ]
    }

    /// Tasks that each iterate over a sequence, which begins with the value that is there.
    private static func reading<Element>(
        _ name: String, with readers: Int, _ sequence: @escaping (ObservedModel) -> KeyValueSequence<Element>
    ) -> Loop {
        Loop(name) {
            let (model, arrivals) = (ObservedModel(), Arrivals())
            follow(sequence(model), with: readers, arrivals)
            return { count in arrivals.wait(for: count * readers) { repeated(count) { model.number = $0 } } }
        }
    }

    private static func follow<Element>(
        _ sequence: KeyValueSequence<Element>, with readers: Int, _ arrivals: Arrivals
    ) {
        arrivals.wait(for: readers) {
            for _ in 0..<readers { Task.detached { for await _ in sequence { arrivals.note() } } }
        }
    }

    /// Tasks that each iterate over an `AsyncStream`, fed by a `didSet`.
    private static func streaming(_ name: String, to readers: Int) -> Loop {
        Loop(name) {
            let (model, arrivals) = (StreamingModel(), Arrivals())
            for _ in 0..<readers {
                let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
                model.continuations.append(continuation)
                Task.detached { for await _ in stream { arrivals.note() } }
            }
            return { count in arrivals.wait(for: count * readers) { repeated(count) { model.number = $0 } } }
        }
    }
}

/// What somebody writes who has no library.
private final class StreamingModel {
    var continuations: [AsyncStream<Int>.Continuation] = []
    var number = 0 {
        didSet { for continuation in continuations { continuation.yield(number) } }
    }
}

private struct Reading: Sendable {
    let number: Int
}

private final class ReadingModel: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var reading = Reading(number: 0)
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
