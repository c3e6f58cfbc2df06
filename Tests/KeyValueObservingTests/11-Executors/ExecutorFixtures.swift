// Models observed from other executors, and actors that record their calls.
import Dispatch
import KeyValueObserving
import Synchronization
import TestSupport

/// A model that any thread may change; the tests change it from one at a time, or under a lock.
final class Tank: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var tags: [String] = []
    @Observed var members: Set<Int> = []
    @Observed var next: Tank?
    var isFull: Bool { level > 9 }
}

/// Notes what it is called with, and can be kept busy.
actor Recorder {
    private(set) var lines: [String] = []
    private var wanted: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    func add<Value>(_ change: KeyValueObservedChange<Value>) { add(text(of: change)) }

    func add(_ line: String) {
        lines.append(line)
        guard let wanted, lines.count >= wanted.count else { return }
        self.wanted = nil
        wanted.continuation.resume()
    }

    /// The lines, as soon as there are so many.
    func lines(_ count: Int) async -> [String] {
        if lines.count < count { await withCheckedContinuation { wanted = (count, $0) } }
        return lines
    }

    /// Runs a function in the actor, in one go.
    func perform<Result: Sendable>(_ body: @Sendable (isolated Recorder) throws -> Result) rethrows -> Result {
        try body(self)
    }
}

/// What was called on several threads, and a way to wait for it.
final class CallLog: Sendable {
    private let state = Guarded<(lines: [String], wanted: (Int, CheckedContinuation<Void, Never>)?)>(([], nil))

    func add(_ line: String) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.lines.append(line)
            guard let (count, continuation) = state.wanted, state.lines.count >= count else { return nil }
            state.wanted = nil
            return continuation
        }
        continuation?.resume()
    }

    var lines: [String] { state.withLock { $0.lines } }

    /// The lines, as soon as there are so many.
    func lines(_ count: Int) async -> [String] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.lines.count >= count { return true }
                state.wanted = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
        return lines
    }
}

/// Opens once; tasks wait for it without blocking a thread.
final class Gate: Sendable {
    private let state = Guarded<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when it is open, or the task is canceled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        } onCancel: {
            open()
        }
    }
}

/// Runs its jobs when a test pumps it.
final class Pump: KeyValueChangeExecutor {
    private let jobs = Guarded<[@Sendable () -> Void]>([])

    func execute(_ job: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(job) } }

    var waiting: Int { jobs.withLock { $0.count } }

    func run() { while runOne() {} }

    @discardableResult func runOne() -> Bool {
        guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        job()
        return true
    }
}

/// Runs its jobs one after the other, on threads of its own.
final class Runner: KeyValueChangeExecutor {
    private let queue = DispatchQueue(label: "runner")

    func execute(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

    func perform(_ body: @Sendable () throws -> Void) rethrows { try queue.sync { try body() } }
}

/// Runs the parts of tasks one after the other, as an event loop does.
final class EventLoop: TaskExecutor {
    private let queue = DispatchQueue(label: "event loop")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func perform(_ body: @Sendable () throws -> Void) rethrows { try queue.sync { try body() } }
}

/// Says that it is gone.
final class Farewell: Sendable {
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    deinit { gate.open() }
}
