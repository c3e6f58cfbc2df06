// The executor of a combining program.
import KeyValueObserving

/// Keeps what it is to run until the program runs it, on the thread that acts then.
final class CombinedLoop: KeyValueChangeExecutor, @unchecked Sendable {
    private var jobs: [@Sendable () -> Void] = []

    var isEmpty: Bool { jobs.isEmpty }

    func execute(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }

    /// Runs the job that has waited longest, which may add others.
    ///
    /// - Returns: Whether there was one.
    func runNext() -> Bool {
        if jobs.isEmpty { return false }
        jobs.removeFirst()()
        return true
    }
}
