// Searches that follow from typing, with a clock that the test moves.
import Testing

@testable import streams

@MainActor
@Suite(.timeLimit(.minutes(1))) struct SearchTests {
    private let clock = ManualClock()

    /// The searches of a field after pauses of one second, as text.
    private func searches(of field: SearchField) -> AsyncStream<String> {
        let searches = field.searches(after: .seconds(1), clock: clock)
        return AsyncStream { continuation in
            Task {
                for await (query, scope) in searches { continuation.yield("\(query) in \(scope)") }
                continuation.finish()
            }
        }
    }

    @Test func `a search waits until typing has paused`() async throws {
        let field = SearchField()
        field.query = "s"
        var searches = searches(of: field).makeAsyncIterator()
        try await clock.waitForSleeper(until: .seconds(1))
        clock.set(.seconds(0.5))
        field.query = "sw"
        try await clock.waitForReader()
        clock.set(.seconds(1))
        try await clock.waitForSleeper(until: .seconds(1.5))
        clock.set(.seconds(1.5))
        #expect(await searches.next() == "sw in titles")
    }

    @Test func `an equal query is not searched for again, another scope is at once, and both end with the field`()
        async throws
    {
        var field: SearchField? = SearchField()
        field?.query = "s"
        var searches = try searches(of: #require(field)).makeAsyncIterator()
        try await clock.waitForSleeper(until: .seconds(1))
        clock.set(.seconds(1))
        #expect(await searches.next() == "s in titles")
        field?.query = "s"
        try await clock.waitForSleeper(until: .seconds(2))
        clock.set(.seconds(2))
        field?.scope = .titles
        field?.scope = .authors
        #expect(await searches.next() == "s in authors")
        field = nil
        #expect(await searches.next() == nil)
    }
}
