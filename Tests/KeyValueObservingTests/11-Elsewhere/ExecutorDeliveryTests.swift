// Delivery on an executor of one's own: 11.6.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

/// Runs its jobs on a thread of its own until it is stopped.
private final class Loop: KeyValueChangeExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var jobs: [(@Sendable () -> Void)?] = []
    private var thread: Thread?

    init() {
        let thread = Thread { [self] in
            while let job = next() { job() }
            // A thread that has ended keeps its function, and that this loop.
            condition.withLock { self.thread = nil }
        }
        self.thread = thread
        thread.start()
    }

    func execute(_ job: @escaping @Sendable () -> Void) { add(job) }

    func stop() { add(nil) }

    /// Runs a function on the thread, and waits for it.
    func sync(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        add {
            body()
            done.signal()
        }
        done.wait()
    }

    var isCurrent: Bool { Thread.current === thread }

    private func add(_ job: (@Sendable () -> Void)?) {
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while jobs.isEmpty { condition.wait() }
            return jobs.removeFirst()
        }
    }
}

@Suite("11.6 C2 C3 Delivery on an executor of one's own")
struct ExecutorDeliveryTests {
    private let tank = Tank()
    private let pump = Pump()
    private let log = Log()

    private func observe(
        _ options: KeyValueObservingOptions = [.old, .new], _ policy: KeyValueBufferingPolicy = .unbounded
    ) -> KeyValueObservation {
        tank.observe(\.level, options: options, on: pump, bufferingPolicy: policy) { [log] in log.add($0) }
    }

    @Test("11.6 11.1 The handler runs where the executor runs its jobs, and not inside a set there")
    func thread() async {
        let (loop, tank, calls) = (Loop(), tank, CallLog())
        let token = tank.observe(\.level, options: .new, on: loop) { change in
            #expect(loop.isCurrent)
            calls.add(text(of: change))
        }
        loop.sync {
            for level in 1...1_000 { tank.level = level }
            #expect(calls.lines == [])
        }
        #expect(await calls.lines(1_000) == (1...1_000).map { "·→\($0)" })
        loop.stop()
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
        let (loop, tank, log) = (Loop(), tank, log)
        let token = tank.observe(\.level, on: loop) { _ in log.add("called") }
        loop.sync {
            for level in 1...10 { tank.level = level }
            token.invalidate()
        }
        loop.sync {}
        #expect(log.lines == [])
        loop.stop()
    }

    @Test("11.6 11.5 The registration retains its executor, and no longer than it lives")
    func executorLives() {
        var pump: Pump? = Pump()
        weak let weakPump = pump
        let token = tank.observe(\.level, on: pump!) { _ in }
        pump = nil
        #expect(weakPump != nil)
        token.invalidate()
        #expect(weakPump == nil)
    }
}
