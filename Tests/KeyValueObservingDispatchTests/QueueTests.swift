// Delivery on dispatch queues: 11.6.
import Dispatch
import KeyValueObserving
import KeyValueObservingDispatch
import Synchronization
import Testing

/// A model that any thread may change.
private final class Meter: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var title = ""
}

/// What a queue was called with; for the queue alone, and for tests when that has nothing left.
private final class QueueLog: @unchecked Sendable {
    var lines: [String] = []
}

@Suite("11.6 C2 C3 Delivery on a queue")
struct QueueTests {
    private let meter = Meter()
    private let queue = DispatchQueue(label: "QueueTests")
    private let log = QueueLog()

    /// Waits until so many changes have been delivered.
    private func lines(_ count: Int) -> [String] {
        while queue.sync(execute: { log.lines.count }) < count {}
        return queue.sync { log.lines }
    }

    @Test("11.6 10.1 11.1 11.3 What is there and each change arrive there once, in order, and nothing inside the set")
    func order() {
        var token: KeyValueObservation?
        queue.sync {
            token = meter.changes(of: \.level, \.title, options: [.initial, .new]).deliver(on: queue) {
                [log, queue] change in
                dispatchPrecondition(condition: .onQueue(queue))
                log.lines.append("\(change.keyPath == \Meter.level ? "level" : "title") \(change.newValue!)")
            }
            for level in 1...50 {
                meter.level = level
                meter.title = "\(level)"
            }
            #expect(log.lines == [])
        }
        #expect(lines(102) == ["level 0", "title "] + (1...50).flatMap { ["level \($0)", "title \($0)"] })
        withExtendedLifetime(token) {}
    }

    @Test("11.6 11.1 Handlers of one registration do not overlap on a concurrent queue")
    func concurrentQueue() {
        let running = Atomic(0)
        let finished = DispatchSemaphore(value: 0)
        let (meter, log) = (meter, log)
        let token = meter.changes(of: \.level, options: .new).deliver(on: .global()) { change in
            #expect(running.add(1, ordering: .sequentiallyConsistent).newValue == 1)
            log.lines.append("\(change.newValue!)")
            running.subtract(1, ordering: .sequentiallyConsistent)
            if change.newValue == 1_000 { finished.signal() }
        }
        for level in 1...1_000 { meter.level = level }
        finished.wait()
        #expect(log.lines == (1...1_000).map { "\($0)" })
        withExtendedLifetime(token) {}
    }

    @Test("11.6 11.5 What waits does not keep the object alive, and is delivered after its death")
    func objectDies() {
        var meter: Meter? = Meter()
        weak let weakMeter = meter
        let (log, queue) = (log, queue)
        queue.suspend()
        let token = meter!.changes(of: \.level, options: .new).deliver(on: queue) {
            log.lines.append("\($0.newValue!)")
        }
        for level in 1...3 { meter!.level = level }
        meter = nil
        #expect(weakMeter == nil && token.isInvalidated)
        queue.resume()
        #expect(lines(3) == ["1", "2", "3"])
        withExtendedLifetime(token) {}
    }
}
