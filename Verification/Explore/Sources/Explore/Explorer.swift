// Going through the orders of a scenario.
import Foundation

/// Goes through the orders of one scenario.
final class Explorer {
    private let scenario: Scenario
    private var scheduler: Scheduler!
    private var order = Order()
    /// What is chosen where the order is not given.
    private var picks: Picks = .first
    private var place = 0
    /// Whether there were other choices than those that were given.
    private var hasDiverged = false
    private var restarts = 0
    /// Whether what is made once has been made.
    private var isWarm = false
    private var memory = MemoryWatch()
    /// Whether it is said where threads stop in an order in which something is wrong.
    private let isTracing: Bool

    private enum Picks {
        case first
        case turns([Int: Int])
        case random(SplitMix, share: UInt64)
    }

    /// How many orders were run.
    struct Counts {
        /// With exactly so many preemptions, by their number; all of them up to `complete`.
        var byPreemptions: [Int: Int] = [:]
        /// All orders with so many preemptions were run; nil if not even those without.
        var complete: Int?
        var random = 0

        var all: Int { byPreemptions.values.reduce(random, +) }
    }

    init(_ scenario: Scenario, tracing isTracing: Bool = false) {
        self.scenario = scenario
        self.isTracing = isTracing
        order.choices.reserveCapacity(10_000)
        let most = scenario.make().threads.count + scenario.workers
        scheduler = Scheduler(threads: most) { [unowned self] in choose($0, $1) }
        Failure.begin(scenario.name)
        // What is made once for a class or a key path is made here.
        if !scenario.keepsMemory { runAtRandom(200, seed: 0) }
        isWarm = true
    }

    private func runAtRandom(_ count: Int, seed: UInt64) {
        var numbers = SplitMix(state: seed)
        for _ in 0..<count { runAtRandom(&numbers) }
    }

    private func runAtRandom(_ numbers: inout SplitMix) {
        // Few preemptions find most, so that they are seldom more likely than one in ten steps.
        picks = .random(SplitMix(state: numbers.next()), share: 3 + numbers.next() % 40)
        order = Order()
        run()
    }

    /// Runs all orders with at most so many preemptions, then, if there is time left, others at random.
    ///
    /// - Parameters:
    ///   - mostPreemptions: How many.
    ///   - end: When to stop; nil to run all of them, and none at random.
    ///   - seed: Begins the random numbers.
    /// - Returns: How many were run.
    func explore(mostPreemptions: Int, until end: Date?, seed: UInt64) -> Counts {
        var counts = Counts()
        func isLate() -> Bool { end.map { Date() > $0 } ?? false }
        for bound in 0...mostPreemptions {
            guard exploreAll(preemptions: bound, &counts, isLate) else { return counts }
            counts.complete = bound
        }
        var numbers = SplitMix(state: seed)
        while end != nil, !isLate() {
            runAtRandom(&numbers)
            if order.preemptions > mostPreemptions { counts.random += 1 }
        }
        return counts
    }

    /// Runs all orders with at most so many preemptions; false if there was no time for all of them.
    private func exploreAll(preemptions bound: Int, _ counts: inout Counts, _ isLate: () -> Bool) -> Bool {
        picks = .first
        order = Order()
        var count = 0
        var runs = 0
        repeat {
            run()
            if hasDiverged {
                // Something was made that is made once, and is not met again.
                restarts += 1
                require(restarts < 100, "the orders cannot be repeated")
                order = Order()
                count = 0
                continue
            }
            if order.preemptions == bound { count += 1 }
            runs += 1
            if runs & 63 == 0, isLate() {
                counts.byPreemptions[bound] = count
                return false
            }
            guard order.advance(mostPreemptions: bound) else { break }
        } while true
        counts.byPreemptions[bound] = count
        return true
    }

    /// Runs the order of a text.
    func replay(_ turns: [Order.Turn]) {
        trace()
        if let finding = find(in: turns) { Failure.report(finding) }
    }

    // MARK: One order

    /// Runs the order whose first choices are given, and looks at what came of it.
    private func run() {
        if let finding = runTrial() { report(finding) }
        if memory.noteEnd(), !scenario.keepsMemory, isWarm { runAgain() }
    }

    /// - Returns: What was wrong first.
    private func runTrial() -> String? {
        place = 0
        hasDiverged = false
        Failure.beginOrder()
        Findings.clear()
        do {
            let trial = scenario.make()
            let threads = trial.threads.count
            let workers = threads..<(threads + scenario.workers)
            scheduler.run(trial.threads + workers.map { _ in { Tasks.work(workers) } })
            if place < order.choices.count { diverge() }
            Tasks.drain()
            trial.check()
        }
        Tasks.drain()
        require(Counted.alive == 0, "9.4 \(Counted.alive) objects are left")
        Counted.alive = 0
        return scheduler.findings.first ?? Findings.all.first
    }

    /// Prints what was wrong with the fewest turns that show it.
    private func report(_ finding: String) -> Never {
        var (turns, finding) = (order.turns, finding)
        var index = 0
        while index < turns.count {
            var fewer = turns
            fewer.remove(at: index)
            if let again = find(in: fewer) {
                (turns, finding) = (fewer, again)
            } else {
                index += 1
            }
        }
        if isTracing { trace() }
        _ = find(in: turns)
        Failure.report(finding)
    }

    private func trace() { scheduler.trace = { print($0) } }

    /// What is wrong in an order.
    private func find(in turns: [Order.Turn]) -> String? {
        picks = .turns(Dictionary(turns.map { ($0.place, $0.taken) }) { $1 })
        order = Order()
        return runTrial()
    }

    /// Tells a leak from memory that is made once: there is more each time the order is run.
    private func runAgain() {
        for _ in 0..<20 {
            if let finding = runTrial() { report(finding) }
            if !memory.noteEnd() { return }
        }
        Failure.report("9.4 memory is left each time")
    }

    private func choose(_ count: Int, _ isFree: Bool) -> Int {
        defer { place += 1 }
        if place < order.choices.count {
            let choice = order.choices[place]
            if choice.count == count, choice.isFree == isFree {
                note(Int(choice.taken))
                return Int(choice.taken)
            }
            diverge()
        }
        let taken = min(pick(count, isFree), count - 1)
        order.choices.append(Order.Choice(count: UInt8(count), taken: UInt8(taken), isFree: isFree))
        note(taken)
        return taken
    }

    /// Goes on without the choices that were given: there are others than the last time.
    private func diverge() {
        hasDiverged = true
        order.choices.removeSubrange(place...)
    }

    private func pick(_ count: Int, _ isFree: Bool) -> Int {
        switch picks {
        case .first: return 0
        case .turns(let turns): return turns[place] ?? 0
        case .random(var numbers, let share):
            defer { picks = .random(numbers, share: share) }
            if !isFree, numbers.next() % share != 0 { return 0 }
            return Int(numbers.next() % UInt64(count))
        }
    }

    private func note(_ taken: Int) { if taken > 0 { Failure.note(place: place, taken: taken) } }
}

/// Random numbers that begin with a seed: SplitMix64.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
