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

    @Test("11.6 11.1 Every change arrives once, in order, and nothing inside the set")
    func order() {
        let token = observe()
        for level in 1...100 { tank.level = level }
        #expect(log.lines == [] && pump.waiting == 1)
        pump.run()
        #expect(log.lines == (1...100).map { "\($0 - 1)→\($0)" } && pump.waiting == 0)
        withExtendedLifetime(token) {}
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

    @Test("11.6 10.1 Changes of several key paths arrive in the order in which they were made")
    func several() {
        let token = tank.observe(\.level, \.tags, options: .new, on: pump) { [log] change in
            log.add(change, as: change.keyPath == \Tank.level ? "level" : "tags")
        }
        tank.level = 1
        tank.tags = ["a"]
        tank.level = 2
        pump.run()
        #expect(log.lines == ["level ·→1", #"tags ·→["a"]"#, "level ·→2"])
        token.invalidate()
        #expect(tank.observationInfo.isEmpty)
    }

    @Test("11.6 11.2 Nothing starts after invalidate has returned, though much waits")
    func invalidate() {
        let token = observe()
        for level in 1...10 { tank.level = level }
        pump.runOne()
        token.invalidate()
        pump.run()
        #expect(log.lines == ["0→1"])
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

    @Test("11.6 11.3 The initial value is delivered there, first")
    func initial() {
        let token = observe([.initial, .new])
        tank.level = 1
        #expect(log.lines == [])
        pump.run()
        #expect(log.lines == ["·→0", "·→1"])
        withExtendedLifetime(token) {}
    }

    @Test("11.6 11.3 .prior traps and names the key path and the executor")
    func prior() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Tank().observe(\.level, options: .prior, on: Pump()) { _ in }
        }
        #expect(words("level of Tank", ".prior", "executor", "Pump", missingIn: message(of: result)) == [])
    }

    @Test(
        "11.6 11.4 The policy says what waits",
        arguments: [
            (KeyValueBufferingPolicy.newest(2), ["0→9", "9→10"]), (.oldest(2), ["0→1", "1→2"]),
        ])
    func buffering(policy: KeyValueBufferingPolicy, expected: [String]) {
        let token = observe([.old, .new], policy)
        for level in 1...10 { tank.level = level }
        pump.run()
        #expect(log.lines == expected)
        #expect(tank.observationInfo.map(\.droppedCount) == [8])
        withExtendedLifetime(token) {}
    }

    @Test("11.6 11.5 What waits is delivered after the object's death, and does not keep it alive")
    func objectDies() {
        var tank: Tank? = Tank()
        weak let weakTank = tank
        let token = tank!.observe(\.level, options: .new, on: pump) { [log] in log.add($0) }
        for level in 1...3 { tank!.level = level }
        tank = nil
        #expect(weakTank == nil && token.isInvalidated)
        pump.run()
        #expect(log.lines == ["·→1", "·→2", "·→3"])
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
