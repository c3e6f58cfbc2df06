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
