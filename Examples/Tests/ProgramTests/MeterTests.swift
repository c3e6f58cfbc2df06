// A display that follows a meter, with a clock that the test moves.
import KeyValueObserving
import Testing

@testable import streams

@MainActor
@Suite(.timeLimit(.minutes(1))) struct MeterTests {
    private let clock = ManualClock()

    @Test func `a display shows the first reading at once, and then the newest one of each interval`() async throws {
        var meter: Meter? = Meter()
        let readings = try #require(meter).values(of: \.reading).buffer(policy: .bufferingNewest(1))
        var shown: [Int] = []
        let display = Task { try await follow(readings, every: .seconds(1), clock: clock) { shown.append($0) } }
        try await clock.waitForSleeper(until: .seconds(1))
        #expect(shown == [0])
        for reading in 1...30 { meter?.reading = reading }
        clock.set(.seconds(1))
        try await clock.waitForSleeper(until: .seconds(2))
        #expect(shown == [0, 30])
        meter?.reading = 31
        meter = nil
        clock.set(.seconds(2))
        try await clock.waitForSleeper(until: .seconds(3))
        clock.set(.seconds(3))
        try await display.value
        #expect(shown == [0, 30, 31])
    }
}
