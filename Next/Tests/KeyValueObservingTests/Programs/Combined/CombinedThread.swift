// A thread of a combining program.
import Dispatch
import Foundation

/// Runs what another thread hands it, while that one waits: the threads take turns, and a seed always does the same.
final class CombinedThread: @unchecked Sendable {
    private let handed = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    private var body: (() -> Void)?

    init() {
        let thread = Thread { [self] in
            while true {
                handed.wait()
                guard let body else { return }
                self.body = nil
                body()
                done.signal()
            }
        }
        // As much as the main thread has.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Runs `body` there, and waits for its end.
    func run(_ body: @escaping () -> Void) {
        self.body = body
        handed.signal()
        done.wait()
    }

    /// Ends the thread.
    func end() { handed.signal() }
}
