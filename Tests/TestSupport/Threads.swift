// Several threads in one test.
import Foundation

/// Runs `body` on so many threads at once, and waits for all of them.
///
/// These are threads of their own, so that a test may block one without starving others.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread {
            body(index)
            group.leave()
        }.start()
    }
    group.wait()
}

/// Passes an object to another thread; the test guards what must be guarded.
package struct Unchecked<Value>: @unchecked Sendable {
    package let value: Value

    package init(value: Value) { self.value = value }
}

/// Runs `body` on a thread of its own, and ends the process if it waits for ever: if the process has hardly run for ten
/// seconds, and `body` has not returned.
///
/// However slow the machine is, a process that has something to do runs more than that.
package func stopsItself(_ body: @escaping () -> Void) {
    let body = Unchecked(value: body)
    let isDone = DispatchSemaphore(value: 0)
    Thread {
        body.value()
        isDone.signal()
    }.start()
    var known = clock()
    while isDone.wait(timeout: .now() + 10) == .timedOut {
        let now = clock()
        if Double(now - known) < 0.02 * Double(CLOCKS_PER_SEC) { fatalError("it waits for ever") }
        known = now
    }
}
