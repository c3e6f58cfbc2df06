// Operations and their queues: D15.
import Foundation
import KeyValueObserving
import KeyValueObservingFoundation
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("D15 OperationQueue", .enabled(if: RuntimeAssumption.objectClasses.holds))
struct OperationQueueTests {
    private let kept = Kept()

    @Test("D15 15.4 Name, suspension, concurrency and quality")
    func settings() throws {
        let (queue, log) = (OperationQueue(), Log())
        let notifying = try NotifyingOperationQueue.makeObservable(queue)
        queue.name = "a"
        [
            notifying.observe(\.name, options: [.old, .new]) { log.add($1) },
            notifying.observe(\.isSuspended, options: [.old, .new]) { log.add($1) },
            notifying.observe(\.maxConcurrentOperationCount, options: [.old, .new]) { log.add($1) },
            notifying.observe(\.qualityOfService, options: .new) { _, change in
                log.add("quality \(change.newValue! == .utility)")
            },
        ].store(in: kept)
        queue.name = "b"
        queue.isSuspended = true
        queue.maxConcurrentOperationCount = 1
        queue.qualityOfService = .utility
        #expect(log.take() == ["a→b", "false→true", "-1→1", "quality true"])
    }

    @Test("D15 1.4 The operations and their number cannot be seen: observing them traps", arguments: [false, true])
    func operations(areCounted: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [areCounted] in
            let queue = try NotifyingOperationQueue.makeObservable(OperationQueue())
            _ = areCounted ? queue.observe(\.operationCount) { _, _ in } : queue.observe(\.operations) { _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("If OperationQueue declares it") && !message.contains("@Observed,"))
    }
}

@Suite("D15 Operation", .enabled(if: RuntimeAssumption.objectClasses.holds))
struct OperationTests {
    private let kept = Kept()
    private func observe(_ operation: NotifyingOperation, _ log: Log, _ name: String = "") -> [KeyValueObservation] {
        [
            operation.observe(\.isReady, options: [.old, .new, .distinct]) { log.add($1, as: name + "ready") },
            operation.observe(\.isExecuting, options: [.old, .new]) { log.add($1, as: name + "executing") },
            operation.observe(\.isFinished, options: [.old, .new]) { log.add($1, as: name + "finished") },
            operation.observe(\.isCancelled, options: [.old, .new]) { log.add($1, as: name + "cancelled") },
        ]
    }

    @Test("D15 A queue and observers are notified when an asynchronous operation executes and finishes")
    func queue() {
        let (operation, log) = (Work(), Log())
        observe(operation, log).store(in: kept)
        let queue = OperationQueue()
        queue.addOperation(operation)
        operation.hasBegun.wait()
        #expect(log.take() == ["executing false→true"] && queue.operationCount == 1)
        operation.finish()
        operation.finish()
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.take() == ["executing true→false", "finished false→true"])
        #expect(operation.isFinished && !operation.isExecuting && operation.isAsynchronous)
    }

    @Test("D15 Dependencies: an operation becomes ready when the ones before it have finished")
    func dependencies() {
        let (first, second, log) = (Work(), Work(), Log())
        observe(second, log).store(in: kept)
        second.addDependency(first)
        #expect(log.take() == ["ready true→false"])
        let queue = OperationQueue()
        queue.addOperations([second, first], waitUntilFinished: false)
        first.hasBegun.wait()
        #expect(log.take() == [])
        first.finish()
        second.hasBegun.wait()
        // The queue may start it before or after observers are notified that it is ready.
        #expect(Set(log.take()) == ["ready false→true", "executing false→true"])
        second.finish()
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.take() == ["executing true→false", "finished false→true"])
    }

    @Test("D15 Any number of operations may wait for one, even if its thread has a small stack")
    func manyDependents() {
        let (first, log) = (NotifyingOperation(), Log())
        // If adding one took longer the more there are, these would take most of a minute.
        let others = (0..<20_000).map { _ in
            let other = NotifyingOperation()
            other.addDependency(first)
            return other
        }
        for other in [others[0], others[19_999]] {
            other.observe(\.isReady, options: .new) { log.add($1) }.store(in: kept)
        }
        onAThread(stackSize: 128 * 1_024) { first.start() }
        #expect(log.take() == ["·→true", "·→true"])
        withExtendedLifetime(others) {}
    }

    @Test("D15 9.4 An operation that dies waits for nothing; the others become ready in the order in which they came")
    func dependentThatDies() {
        let (first, log) = (NotifyingOperation(), Log())
        let others = (0..<20).map { _ in NotifyingOperation() }
        let tokens = others.enumerated().map { index, other in
            other.observe(\.isReady, options: .new) { log.add($1, as: "\(index)") }
        }
        for other in others {
            NotifyingOperation().addDependency(first)
            other.addDependency(first)
        }
        _ = log.take()
        first.finish()
        #expect(log.take() == (0..<20).map { "\($0) ·→true" })
        withExtendedLifetime((others, tokens)) {}
    }

    @Test("D15 Cancelled before it begins, it finishes without beginning")
    func cancelled() {
        let (operation, log) = (Work(), Log())
        observe(operation, log).store(in: kept)
        operation.cancel()
        operation.cancel()
        #expect(log.take() == ["cancelled false→true"])
        let queue = OperationQueue()
        queue.addOperation(operation)
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.take() == ["finished false→true"])
        // It has finished, so it is not cancelled any more.
        let late = NotifyingOperation()
        late.start()
        observe(late, log).store(in: kept)
        late.cancel()
        operation.cancel()
        #expect(log.take() == [])
    }

    @Test("D15 Finished while it starts, it stays finished and does no work", arguments: [true, false])
    func finishedWhileStarting(isBefore: Bool) {
        let (operation, log) = (Work(), Log())
        operation.observe(\.isExecuting, options: .prior) { @Sendable operation, change in
            if change.isPrior == isBefore { operation.finish() }
        }.store(in: kept)
        observe(operation, log).store(in: kept)
        operation.start()
        operation.finish()
        #expect(operation.isFinished && !operation.isExecuting)
        #expect(operation.hasBegun.wait(timeout: .now()) == .timedOut)
        #expect(log.take().filter { $0.contains("finished") } == ["finished false→true"])
    }

    @Test("D15 9.2 9.4 Finished on one thread while it starts on another one, it stays finished, and is released")
    func finishedOnAnotherThread() {
        for _ in 0..<500 {
            weak var weakWork: Work?
            do {
                let work = Work()
                weakWork = work
                // The threads end some time after they have called.
                onThreads(2) { [weak work] in $0 == 0 ? work?.start() : work?.finish() }
                #expect(work.isFinished && !work.isExecuting)
            }
            #expect(weakWork == nil)
        }
    }

    @Test("D15 A main that returns is done, whether or not it says so", .timeLimit(.minutes(10)))
    func synchronous() {
        let (sum, plain, log) = (Sum(), NotifyingOperation(), Log())
        (observe(sum, log) + observe(plain, log)).store(in: kept)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.addOperations([sum, plain], waitUntilFinished: false)
        queue.waitUntilAllOperationsAreFinished()
        let each = ["executing false→true", "executing true→false", "finished false→true"]
        #expect(log.take() == each + each && sum.total == 3)
    }

    @Test("D15 Work that goes on after main has returned is done when its completion is finished")
    func completion() {
        let (later, log) = (Later(), Log())
        observe(later, log).store(in: kept)
        later.start()
        #expect(later.isExecuting && log.take() == ["executing false→true"])
        let queue = OperationQueue()
        let next = NotifyingOperation()
        next.addDependency(later)
        queue.addOperation(next)
        later.isDone.signal()
        queue.waitUntilAllOperationsAreFinished()
        #expect(later.isFinished)
    }

    @Test("D15 3.5 A handler may have another operation wait for the one that has just finished: it is ready at once")
    func dependentAddedByAHandler() {
        let (first, second, log) = (NotifyingOperation(), NotifyingOperation(), Log())
        second.observe(\.isReady, options: [.old, .new]) { @Sendable in log.add($1, as: "ready") }.store(in: kept)
        first.observe(\.isFinished) { @Sendable _, _ in second.addDependency(first) }.store(in: kept)
        first.start()
        #expect(second.isReady && log.take().last == "ready false→true")
    }

    @Test("D15 Starting twice traps")
    func startedTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let operation = NotifyingOperation()
            operation.start()
            operation.start()
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("was started twice. Add it to one queue"))
    }

    @Test("D15 15.4 Not seen: that an operation of another class, on which one depends, has finished")
    func unseen() {
        let (block, operation, log) = (BlockOperation {}, Work(), Log())
        observe(operation, log).store(in: kept)
        operation.addDependency(block)
        #expect(log.take() == ["ready true→false"])
        block.start()
        #expect(operation.isReady && log.take() == [])
    }

    @Test(
        "D15 An operation that is canceled, or no longer waits for another one, is ready, and its end does not notify it"
    )
    func readyEarly() {
        let (first, second, cancelled, log) = (NotifyingOperation(), NotifyingOperation(), NotifyingOperation(), Log())
        second.observe(\.isReady) { @Sendable _, _ in log.add("ready") }.store(in: kept)
        second.addDependency(first)
        second.removeDependency(first)
        #expect(log.take() == ["ready", "ready"])
        cancelled.addDependency(first)
        let token = cancelled.observe(\.isReady, options: .new) { log.add($1) }
        cancelled.cancel()
        #expect(log.take() == ["·→true"])
        token.invalidate()
        first.finish()
        #expect(log.take() == [])
    }

    @Test("D15 An operation that finished before its start begins nothing, and calls no observer")
    func finishedBeforeStart() {
        let (operation, log) = (Work(), Log())
        operation.finish()
        for keyPath in [\Work.isExecuting, \.isFinished] {
            operation.observe(keyPath) { @Sendable _, _ in log.add("called") }.store(in: kept)
        }
        operation.start()
        #expect(log.take() == [] && operation.hasBegun.wait(timeout: .now()) == .timedOut)
        #expect(operation.isFinished && !operation.isExecuting)
    }

    @Test("D15 1.6 Operations that wait for another one and die leave no memory")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let first = NotifyingOperation()
            func use(_ count: Int) {
                // All are there at once, so that no two have the same address.
                var others = (0..<count).map { _ in NotifyingOperation() }
                while let other = others.popLast() { other.addDependency(first) }
            }
            use(10)
            #expect(bytesKept { use(2_000) } < 50_000)
            first.finish()
        }
    }
}

/// Works until it is asked to finish.
private final class Work: NotifyingOperation, @unchecked Sendable {
    let hasBegun = DispatchSemaphore(value: 0)
    @Observed var step = 0

    override func main(_ completion: Completion) {
        self.completion = completion
        hasBegun.signal()
    }

    private var completion: Completion?
}

/// Does its work at once, and never says that it has.
private final class Sum: NotifyingOperation, @unchecked Sendable {
    @Observed var total = 0

    override func main() { total = 3 }
}

/// Goes on after its `main` has returned.
private final class Later: NotifyingOperation, @unchecked Sendable {
    let isDone = DispatchSemaphore(value: 0)

    override func main(_ completion: Completion) {
        Thread { [isDone] in
            isDone.wait()
            completion.finish()
        }.start()
    }
}
