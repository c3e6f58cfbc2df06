// A point at which threads wait for one another.
import Synchronization

/// Where so many threads meet, once.
final class Meeting: Sendable {
    private let missing: Atomic<Int>

    init(of count: Int) {
        missing = Atomic(count)
    }

    /// Returns when all have called it; no thread sleeps, so that they continue at once.
    func arrive() {
        missing.subtract(1, ordering: .sequentiallyConsistent)
        while missing.load(ordering: .sequentiallyConsistent) > 0 {}
    }
}
