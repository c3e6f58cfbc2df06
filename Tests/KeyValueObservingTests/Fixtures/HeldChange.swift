// A change on another thread, held in its middle.
import Foundation

/// A change on another thread that lasts until it is to end, because code that it runs waits.
final class HeldChange: Sendable {
    private let isWaiting = DispatchSemaphore(value: 0)
    private let mayReturn = DispatchSemaphore(value: 0)
    private let isDone = DispatchSemaphore(value: 0)

    /// Makes the change, and returns when that code waits.
    func begin(_ change: @escaping @Sendable () -> Void) {
        Thread { [isDone] in
            change()
            isDone.signal()
        }.start()
        isWaiting.wait()
    }

    /// Called by the code that waits.
    func hold() {
        isWaiting.signal()
        mayReturn.wait()
    }

    /// Lets it go on, and waits for the end of the change.
    func finish() {
        mayReturn.signal()
        isDone.wait()
    }
}
