// Delivery on an executor of one's own: 11.6.
import Dispatch
import KeyValueObserving
import TestSupport
import Testing

/// Runs its jobs on a queue.
private final class Queue: KeyValueChangeExecutor, Sendable {
    let queue = DispatchQueue(label: "Queue")

    func execute(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }
}

@Suite("11.6 C2 C3 Delivery on an executor of one's own")
struct ExecutorDeliveryTests {
    private let tank = Tank()
    private let pump = Pump()
    private let log = Log()

    private func observe(
        _ options: KeyValueObservingOptions = [.old, .new], _ policy: KeyValueBufferingPolicy = .unbounded
    ) -> KeyValueObservation {
        tank.changes(of: \.level, options: options, bufferingPolicy: policy).deliver(on: pump) { [log] in log.add($0) }
    }

    @Test("11.6 11.1 The handler runs where the executor runs its jobs, and not inside a set there")
    func thread() async {
        let (executor, tank, calls) = (Queue(), tank, CallLog())
        let token = tank.changes(of: \.level, options: .new).deliver(on: executor) { change in
            dispatchPrecondition(condition: .onQueue(executor.queue))
            calls.add(text(of: change))
        }
        executor.queue.sync {
            for level in 1...1_000 { tank.level = level }
            #expect(calls.lines == [])
        }
        #expect(await calls.lines(1_000) == (1...1_000).map { "·→\($0)" })
        withExtendedLifetime(token) {}
    }

    @Test("11.6 11.1 Between two handlers the executor runs other jobs")
    func turns() {
        let token = observe()
        tank.level = 1
        tank.level = 2
        pump.execute { [log] in log.add("other") }
        pump.run()
        #expect(log.lines == ["0→1", "other", "1→2"])
        withExtendedLifetime(token) {}
    }

    @Test("11.6 11.2 Nothing starts after invalidate has returned on the executor's thread")
    func invalidateOnThread() {
        let (executor, tank, log) = (Queue(), tank, log)
        let token = tank.changes(of: \.level).deliver(on: executor) { _ in log.add("called") }
        executor.queue.sync {
            for level in 1...10 { tank.level = level }
            token.invalidate()
        }
        executor.queue.sync {}
        #expect(log.lines == [])
    }

    @Test("11.6 11.5 The registration retains its executor, and no longer than it lives")
    func executorLives() {
        var pump: Pump? = Pump()
        weak let weakPump = pump
        let token = tank.changes(of: \.level).deliver(on: pump!) { _ in }
        pump = nil
        #expect(weakPump != nil)
        token.invalidate()
        #expect(weakPump == nil)
    }
}
