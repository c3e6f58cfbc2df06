// Calls that wait until a handler has returned.

/// Calls that wait until a handler has returned, of which there may be no end.
struct WaitingCalls<Call> {
    private var line = WaitingLine<(call: Call, round: Int)>()
    /// How many calls, each made because of the one before, led to the one that was taken last.
    private var round = 0
    /// How many wait because of a call that was made.
    private var causedCount = 0
    /// The names of the registrations that take part, once there seems to be no end.
    var names: Set<String> = []

    var isEmpty: Bool { line.isEmpty }
    var count: Int { line.count }

    /// Adds a call, which may be made because of the one that was taken last.
    mutating func append(_ call: Call, becauseOfLast isCaused: Bool) {
        if isCaused { causedCount += 1 }
        line.append((call, isCaused ? round + 1 : 0))
    }

    /// Takes the first call.
    mutating func next() -> Call? {
        let next = line.popFirst()
        round = next?.round ?? 0
        if round > 0 { causedCount -= 1 }
        return next?.call
    }

    /// Changes in a row, each made by a handler of the one before, that are said to have no end.
    private static var mostRounds: Int { 10_000 }
    /// So many calls wait where each makes several.
    private static var mostWaiting: Int { 100_000 }

    var isNearlyEndless: Bool { round > Self.mostRounds - 16 || isTooWide }
    var isEndless: Bool { round >= Self.mostRounds || isTooWide }
    private var isTooWide: Bool { round > 16 && causedCount > Self.mostWaiting }
}

/// Ends the program: handlers set what they observe without end.
func trapEndless(_ names: Set<String>, _ object: AnyObject) -> Never {
    fatalError(
        """
        An endless change: handlers of \(names.sorted().joined(separator: ", ")) set one another again and again, the last \
        time in a \(TypeName.of(object)). Have a handler set nothing if the value is what it should be.
        """)
}
