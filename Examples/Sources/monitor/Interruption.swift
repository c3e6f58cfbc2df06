// Ctrl-C, and pauses that it cuts short.
import Dispatch
import Foundation
import Synchronization

/// Whether the user wants the run to end.
final class Interruption: Sendable {
    private let isRequested = Atomic(false)
    private let wake = DispatchSemaphore(value: 0)

    /// Takes over SIGINT and SIGTERM.
    init() {
        for number in [SIGINT, SIGTERM] {
            // A source also receives signals that are ignored.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            // The handler keeps itself and its source, to the end of the process.
            source.setEventHandler { [self] in
                isRequested.store(true, ordering: .releasing)
                wake.signal()
                // Should the end take long, the next one ends the process at once.
                signal(number, SIG_DFL)
                _ = source
            }
            source.activate()
        }
    }

    /// Waits.
    ///
    /// - Returns: Whether to go on: false as soon as the user wants the run to end.
    func wait(seconds: Double) -> Bool {
        if isRequested.load(ordering: .acquiring) { return false }
        _ = wake.wait(timeout: .now() + seconds)
        return !isRequested.load(ordering: .acquiring)
    }

    /// Waits without blocking a thread that tasks run on.
    ///
    /// - Returns: Whether to go on.
    func pause(seconds: Double) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.wait(seconds: seconds)) }
        }
    }
}
