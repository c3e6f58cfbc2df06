// Times loops, one repetition of each in turn.

/// A loop with what it needs, how often it is repeated at a time, and what that took.
private struct Timed {
    let prepared: Loop.Prepared
    let count: Int
    var figure: Figure
}

/// Times the loops.
///
/// The repetitions of different loops take turns, so that what slows the machine for a while slows all of them.
///
/// - Parameters:
///   - loops: What is timed.
///   - effort: How many repetitions.
/// - Returns: A figure for each loop, in their order.
func timed(_ loops: [Loop], _ effort: Effort) -> [Figure] {
    var all = loops.map { loop in
        let prepared = loop.prepare()
        let count = effort.isBrief ? 3 : countOfOperations(lasting: loop.milliseconds, prepared.run)
        return Timed(prepared: prepared, count: count, figure: Figure(loop.name, .nanoseconds))
    }
    for _ in 0..<effort.rounds {
        for index in all.indices {
            let timed = all[index]
            let time = ContinuousClock().measure { timed.prepared.run(timed.count) }
            timed.prepared.check()
            all[index].figure.add(time / .nanoseconds(timed.count))
        }
    }
    return all.map(\.figure)
}

/// How often everything is measured.
enum Effort {
    case full
    /// For curves of many points.
    case quick
    /// Once and shortly, to see that it works.
    case brief

    var isBrief: Bool { self == .brief }

    var rounds: Int {
        switch self {
        case .full: 61
        case .quick: 21
        case .brief: 1
        }
    }
}

/// How many operations last so long; they are found by trying, which warms the loop up.
private func countOfOperations(lasting milliseconds: Double, _ run: (Int) -> Void) -> Int {
    var count = 1
    while true {
        // The quicker of two, for the first may find cold caches and arrays without room.
        let times = (0..<2).map { _ in ContinuousClock().measure { run(count) } / .milliseconds(1) }
        let time = min(times[0], times[1])
        if time >= milliseconds / 2 { return max(1, Int(Double(count) * milliseconds / time)) }
        count *= 2
    }
}
