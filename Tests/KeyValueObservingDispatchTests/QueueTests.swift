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

    private func observe(
        _ options: KeyValueObservingOptions = [.old, .new], _ policy: KeyValueBufferingPolicy = .unbounded
    ) -> KeyValueObservation {
        meter.changes(of: \.level, options: options, bufferingPolicy: policy).deliver(on: queue) {
            [log, queue] change in
            dispatchPrecondition(condition: .onQueue(queue))
            log.lines.append("\(change.oldValue ?? -1)→\(change.newValue ?? -1)")
        }
    }

    /// Waits until so many changes have been delivered.
    private func lines(_ count: Int) -> [String] {
        while queue.sync(execute: { log.lines.count }) < count {}
        return queue.sync { log.lines }
    }

    @Test("11.6 10.1 Changes of several key paths arrive in the order in which they were made")
    func several() {
        let token = meter.changes(of: \.level, \.title, options: .new).deliver(on: queue) { [log] change in
            log.lines.append(change.keyPath == \Meter.level ? "level \(change.newValue!)" : "title \(change.newValue!)")
        }
        queue.sync {
            for level in 1...50 {
                meter.level = level
                meter.title = "\(level)"
            }
            #expect(log.lines == [])
        }
        #expect(lines(100) == (1...50).flatMap { ["level \($0)", "title \($0)"] })
        withExtendedLifetime(token) {}
    }

    @Test("11.6 11.1 Every change arrives once, in order, and nothing inside the set")
    func order() {
        let token = observe()
        queue.sync {
            for level in 1...100 { meter.level = level }
            #expect(log.lines == [])
        }
        #expect(lines(100) == (1...100).map { "\($0 - 1)→\($0)" })
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

    @Test("11.6 11.2 Nothing starts after invalidate has returned on the queue")
    func invalidate() {
        let token = observe()
        queue.sync {
            for level in 1...10 { meter.level = level }
            token.invalidate()
        }
        let other = observe([])
        meter.level = 11
        #expect(lines(1) == ["-1→-1"])
        withExtendedLifetime(other) {}
    }

    @Test("11.6 11.3 The initial value is delivered there, first")
    func initial() {
        var token: KeyValueObservation?
        queue.sync {
            token = observe([.initial, .new])
            meter.level = 1
            #expect(log.lines == [])
        }
        #expect(lines(2) == ["-1→0", "-1→1"])
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
