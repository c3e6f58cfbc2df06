// A clock that stands still until a test moves it.
import Synchronization

final class ManualClock: Clock {
    typealias Duration = Swift.Duration

    private struct Time {
        var now = ContinuousClock.now
        /// Whether somebody asked for the time since it was set.
        var wasRead = false
        var deadlines: Set<ContinuousClock.Instant> = []
    }

    private let time = Mutex(Time())
    let start: ContinuousClock.Instant
    let minimumResolution = Duration.zero

    init() {
        start = time.withLock(\.now)
    }

    var now: ContinuousClock.Instant {
        time.withLock { time in
            time.wasRead = true
            return time.now
        }
    }

    func sleep(until deadline: ContinuousClock.Instant, tolerance _: Duration?) async throws {
        time.withLock { _ = $0.deadlines.insert(deadline) }
        try await wait { $0.now >= deadline }
    }

    /// Sets the time, counted from the start.
    func set(_ offset: Duration) {
        time.withLock { time in
            time.now = start.advanced(by: offset)
            time.wasRead = false
        }
    }

    /// Returns when somebody has asked for the time since it was set.
    func waitForReader() async throws { try await wait(until: \.wasRead) }

    /// Returns when somebody sleeps, or has slept, until a time counted from the start.
    func waitForSleeper(until offset: Duration) async throws {
        let deadline = start.advanced(by: offset)
        try await wait { $0.deadlines.contains(deadline) }
    }

    private func wait(until isOver: (Time) -> Bool) async throws {
        while !time.withLock({ isOver($0) }) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
