// Calls that wait until a handler has returned.

/// Calls that wait until a handler has returned, with a check for endless ones.
struct WaitingCalls<Call> {
    private var line = WaitingLine<(call: Call, round: Int)>()
    /// The length of the chain of calls, each caused by the one before, that led to the last one removed.
    private var round = 0
    /// How many waiting calls were caused by a call that was made.
    private var causedCount = 0
    /// The names of the registrations that take part, once the calls seem endless.
    var names: Set<String> = []

    var isEmpty: Bool { line.isEmpty }
    var count: Int { line.count }

    /// Adds a call, which the last one removed may have caused.
    mutating func append(_ call: Call, becauseOfLast isCaused: Bool) {
        if isCaused { causedCount += 1 }
        line.append((call, isCaused ? round + 1 : 0))
    }

    /// Removes the first call.
    mutating func next() -> Call? {
        let next = line.popFirst()
        round = next?.round ?? 0
        if round > 0 { causedCount -= 1 }
        return next?.call
    }

    /// How many changes in a row, each made by a handler of the one before, count as endless.
    private static var mostRounds: Int { 10_000 }
    /// How many waiting calls count as endless, if each causes several.
    private static var mostWaiting: Int { 100_000 }

    var isNearlyEndless: Bool { round > Self.mostRounds - 16 || isTooWide }
    var isEndless: Bool { round >= Self.mostRounds || isTooWide }
    private var isTooWide: Bool { round > 16 && causedCount > Self.mostWaiting }
}

/// Traps because handlers endlessly set properties that they observe.
func trapEndless(_ names: Set<String>, _ object: AnyObject) -> Never {
    fatalError(
        """
        An endless change: handlers of \(names.sorted().joined(separator: ", ")) set one another again and again, the last \
        time in a \(TypeName.of(object)). Have a handler set nothing if the value is what it should be.
        """)
}
