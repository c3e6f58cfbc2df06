// A thread that never ends.
import Foundation

/// Runs a body on a thread of its own.
func onThread(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.stackSize = 1 << 20
    thread.start()
}
