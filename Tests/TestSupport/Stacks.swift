// Stacks that are small, or nearly full.
import Foundation

/// Runs `body` on a thread whose stack ends soon, and waits for it.
package func onASmallStack(_ body: @escaping @Sendable () -> Void) { onAThread(stackSize: 512 * 1_024, body) }

/// Runs `body` on a thread, less than 200 KiB of whose stack is left.
package func deepInTheStack(_ body: @escaping @Sendable () -> Void) { withDescent { $0(body) } }

/// Runs `body` on a thread of its own, with a function that calls another one where less than 200 KiB of the stack is left.
package func withDescent(_ body: @escaping @Sendable (_ descend: (() -> Void) -> Void) -> Void) {
    let size = 2_048 * 1_024
    onAThread(stackSize: size) {
        let limit = address() - UInt(size - 200 * 1_024)
        body { deep in descend(to: limit, deep) }
    }
}

/// Runs `body` on a thread of its own, and waits for it.
package func onAThread(stackSize: Int, _ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        isDone.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    isDone.wait()
}

// Optimized, it would be a loop, which takes no stack.
@inline(never) @_optimize(none)
private func descend(to limit: UInt, _ body: () -> Void) {
    if address() > limit { descend(to: limit, body) } else { body() }
}

/// Where the stack ends, nearly.
@inline(never)
private func address() -> UInt {
    var here: UInt8 = 0
    return unsafe withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
}
