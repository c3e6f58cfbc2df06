// Operations that come and go, and what Foundation knows of them: D15.
import Foundation
import KeyValueObserving
import KeyValueObservingFoundation
import TestSupport
import Testing

@Suite("D15 Operation, in the cases that come up seldom")
struct OperationDetailTests {
    private let log = Log()

    @Test("D15 An operation that has stopped waiting for another one is not notified of its end")
    func removedDependency() {
        let (first, second, log) = (NotifyingOperation(), NotifyingOperation(), log)
        let token = second.observe(\.isReady) { @Sendable _, _ in log.add("ready") }
        second.addDependency(first)
        second.removeDependency(first)
        #expect(log.take() == ["ready", "ready"])
        first.finish()
        #expect(log.take() == [])
        withExtendedLifetime(token) {}
    }

    @Test("D15 Finished before it is started, it begins nothing then, and nobody is called")
    func finishedBeforeStart() {
        let (operation, log) = (Keeping(), log)
        operation.finish()
        let tokens = [\Keeping.isExecuting, \.isFinished].map { keyPath in
            operation.observe(keyPath) { @Sendable _, _ in log.add("called") }
        }
        operation.start()
        #expect(log.take() == [] && operation.completion == nil)
        #expect(operation.isFinished && !operation.isExecuting)
        withExtendedLifetime(tokens) {}
    }

    @Test("D15 Where main returns, that is the end, though somebody keeps the completion")
    func keptCompletion() {
        let operation = Synchronous()
        operation.start()
        #expect(operation.isFinished && operation.hasWorked)
        withExtendedLifetime(operation.completion) {}
    }

    @Test("D15 An operation that begins to wait while those that wait are notified of the end is notified, too")
    func lateDependent() {
        let (first, second, third, log) = (
            NotifyingOperation(), NotifyingOperation(), NotifyingOperation(), log
        )
        second.addDependency(first)
        let tokens = [
            second.observe(\.isReady, options: .prior) { @Sendable _, change in
                if change.isPrior { third.addDependency(first) }
            },
            third.observe(\.isReady, options: .new) { @Sendable in log.add($1) },
        ]
        first.finish()
        #expect(third.isReady && log.take() == ["·→false", "·→true"])
        withExtendedLifetime(tokens) {}
    }

    @Test("D15 Foundation knows that an operation executes: it does not make one ready that is canceled then")
    func canceledWhileExecuting() {
        let (first, second) = (NotifyingOperation(), Keeping())
        second.addDependency(first)
        second.start()
        #expect(second.isExecuting && !second.isReady)
        second.cancel()
        #expect(second.isCancelled && !second.isReady)
        second.completion?.finish()
        #expect(second.isFinished)
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

/// Keeps its completion, and does nothing.
private final class Keeping: NotifyingOperation, @unchecked Sendable {
    private(set) var completion: Completion?

    override func main(_ completion: Completion) { self.completion = completion }
}

/// Keeps its completion, and does its work as others do that know of none.
private final class Synchronous: NotifyingOperation, @unchecked Sendable {
    private(set) var completion: Completion?
    private(set) var hasWorked = false

    override func main() { hasWorked = true }

    override func main(_ completion: Completion) {
        self.completion = completion
        super.main(completion)
    }
}
