// Running some threads one at a time, in an order that is chosen step by step.
import Foundation
import KeyValueObserving

/// One run of some threads, exactly one of which goes on at any time.
///
/// A thread may be exchanged for another one before each of its steps: an atomic operation, the taking of a lock, and
/// code of users. Only the thread that goes on touches what is here; handing the baton over orders all of it.
final class Scheduler: @unchecked Sendable {
    private enum State {
        case ready
        case waiting(for: ObjectIdentifier)
        case waitingUntil(() -> Bool)
        case finished
    }

    private struct Held {
        let lock: ObjectIdentifier
        let isOfUser: Bool
    }

    /// The scheduler whose threads are running; nil between runs.
    nonisolated(unsafe) static var current: Scheduler?

    /// Chooses which of several threads goes on.
    ///
    /// The first is the one that was running, unless that cannot go on.
    private let choose: (_ count: Int, _ isFree: Bool) -> Int
    private let batons: [DispatchSemaphore]
    private let isOver = DispatchSemaphore(value: 0)
    private var bodies: [() -> Void] = []
    private var states: [State] = []
    private var held: [[Held]] = []
    private var owners: [ObjectIdentifier: Int] = [:]
    private var options: [Int] = []
    /// The threads that are not exchanged at a step.
    private var atOnce: Set<Int> = []
    private var steps = 0
    /// The thread that goes on.
    private(set) var running = 0
    /// Locks that were taken while another one of the same kind was held: the order in which they are taken.
    private var orders: Set<[ObjectIdentifier]> = []

    /// Is given what to print where one thread is exchanged for another; nil to print nothing.
    var trace: ((String) -> Void)?

    /// More steps than any scenario takes.
    private static let mostSteps = 50_000

    /// Creates a scheduler for at most so many threads.
    init(threads: Int, choose: @escaping (_ count: Int, _ isFree: Bool) -> Int) {
        self.choose = choose
        batons = (0..<threads).map { _ in DispatchSemaphore(value: 0) }
        options.reserveCapacity(threads)
        for index in 0..<threads {
            let thread = Thread { [self] in
                // It runs its body in one run after another, and never ends.
                while true {
                    batons[index].wait()
                    runBody(index)
                    states[index] = .finished
                    switchOn(from: index)
                }
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    // What the body captures is released before the thread counts as finished.
    @inline(never)
    private func runBody(_ index: Int) { bodies[index]() }

    /// Runs each body on a thread of its own; returns when all have ended.
    func run(_ bodies: [() -> Void]) {
        self.bodies = bodies
        states = bodies.map { _ in .ready }
        held = bodies.map { _ in [] }
        (owners, atOnce, orders, steps) = ([:], [], [], 0)
        Self.current = self
        switchOn(from: nil)
        isOver.wait()
        Self.current = nil
        (self.bodies, states) = ([], [])
    }

    // MARK: Steps of the thread that goes on

    /// Runs something during which the thread is only exchanged where it has to wait: the runtime holds a lock.
    func atOnce(_ body: () -> Void) {
        let index = running
        atOnce.insert(index)
        body()
        atOnce.remove(index)
    }

    /// A step is about to be made.
    func step() {
        steps += 1
        if atOnce.contains(running) { return }
        if steps == Self.mostSteps { Failure.report("it does not end") }
        switchOn(from: running)
    }

    /// Code of users runs.
    func userCode() {
        require(held[running].allSatisfy(\.isOfUser), "code of users runs under a lock of the library")
        step()
    }

    /// Takes a lock, when it is free.
    func lock(_ lock: ObjectIdentifier, isOfUser: Bool) {
        let index = running
        let isThird = !isOfUser && held[index].count { !$0.isOfUser } > 1
        require(!isThird, "a lock of the library is taken under two others")
        for other in held[index] where other.isOfUser == isOfUser {
            orders.insert([other.lock, lock])
            require(!orders.contains([lock, other.lock]), "two locks are taken in both orders")
        }
        let isHeld = held[index].contains { $0.lock == lock }
        if isHeld { Failure.report("a thread takes a lock that it holds") }
        step()
        while owners[lock] != nil {
            states[index] = .waiting(for: lock)
            switchOn(from: index)
        }
        states[index] = .ready
        owners[lock] = index
        held[index].append(Held(lock: lock, isOfUser: isOfUser))
    }

    /// Leaves a lock.
    func unlock(_ lock: ObjectIdentifier) {
        owners[lock] = nil
        if let last = held[running].lastIndex(where: { $0.lock == lock }) { held[running].remove(at: last) }
    }

    /// Waits until a condition holds.
    func wait(until condition: @escaping () -> Bool) {
        let index = running
        step()
        while !condition() {
            states[index] = .waitingUntil(condition)
            switchOn(from: index)
        }
        states[index] = .ready
    }

    /// Whether all threads but some have finished.
    func haveFinished(allBut others: Range<Int>) -> Bool {
        states.indices.allSatisfy { others.contains($0) || isFinished($0) }
    }

    // MARK: The baton

    /// Hands the baton to the thread that is chosen, and waits until it comes back.
    private func switchOn(from index: Int?) {
        options.removeAll(keepingCapacity: true)
        if let index, canGoOn(index) { options.append(index) }
        let isFree = options.isEmpty
        for other in states.indices where other != index && canGoOn(other) { options.append(other) }
        if let hurried = atOnce.first { options = [firstOf(hurried)] }
        guard let first = options.first else {
            if !states.indices.allSatisfy(isFinished) { Failure.report("the threads wait for one another") }
            isOver.signal()
            return
        }
        let next = options.count == 1 ? first : options[choose(options.count, isFree)]
        if next == index { return }
        if let trace { trace(index.map { "thread \($0) stops in\n\(StackText.current())" } ?? "thread \(next) begins") }
        running = next
        let waits = index.map { !isFinished($0) } ?? false
        batons[next].signal()
        if let index, waits { batons[index].wait() }
    }

    /// The thread that a thread waits for, or itself.
    private func firstOf(_ index: Int) -> Int {
        if case .waiting(let lock) = states[index], let owner = owners[lock] { return firstOf(owner) }
        return index
    }

    private func canGoOn(_ index: Int) -> Bool {
        switch states[index] {
        case .ready: true
        case .waiting(let lock): owners[lock] == nil
        case .waitingUntil(let condition): condition()
        case .finished: false
        }
    }

    private func isFinished(_ index: Int) -> Bool { if case .finished = states[index] { true } else { false } }
}

extension Scheduling {
    /// Makes the library's locks and atomic words steps of the scheduler that is running.
    static func begin() {
        unsafe scheduler = { step in
            guard let current = Scheduler.current else { return }
            switch step {
            case .atomic: current.step()
            case .lock(let lock): current.lock(lock, isOfUser: false)
            case .unlock(let lock): current.unlock(lock)
            }
        }
    }
}
