// Going through the orders of a scenario.
import CExplore
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
    /// The most that was allocated after a run.
    ///
    /// `Scripts/explore` turns the allocator's caches for threads off.
    private var mostMemory = 0
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
        var numbers = SplitMix(state: 0)
        if !scenario.keepsMemory { for _ in 0..<200 { runAtRandom(&numbers) } }
        isWarm = true
    }

    private func runAtRandom(_ numbers: inout SplitMix) {
        // Few preemptions find most, so that they are seldom more likely than one in ten steps.
        picks = .random(SplitMix(state: numbers.next()), share: 3 + numbers.next() % 40)
        order = Order()
        run()
    }

    /// Runs all orders with at most so many preemptions; then others at random, until the end if there is one.
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
        (picks, order) = (.first, Order())
        for runs in 1... {
            run()
            if hasDiverged {
                // Something was made that is made once, and is not met again.
                restarts += 1
                if restarts == 100 { Failure.report("the orders cannot be repeated") }
                (order, counts.byPreemptions[bound]) = (Order(), 0)
                continue
            }
            if order.preemptions == bound { counts.byPreemptions[bound, default: 0] += 1 }
            if runs & 63 == 0, isLate() { return false }
            if !order.advance(mostPreemptions: bound) { break }
        }
        return true
    }

    /// Runs the order of a text.
    func replay(_ turns: [Order.Turn]) {
        scheduler.trace = { print($0) }
        if let finding = find(in: turns) { Failure.report(finding) }
    }

    // MARK: One order

    /// Runs the order whose first choices are given, and looks at what came of it.
    private func run() {
        if let finding = runTrial() { report(finding) }
        if hasGrown(), !scenario.keepsMemory, isWarm { runAgain() }
    }

    /// Whether more memory is allocated than after any run before.
    private func hasGrown() -> Bool {
        let now = explore_allocated_bytes()
        defer { mostMemory = max(mostMemory, now) }
        return now > mostMemory
    }

    /// - Returns: What was wrong first.
    private func runTrial() -> String? {
        (place, hasDiverged) = (0, false)
        Failure.beginOrder()
        Findings.all = []
        do {
            let trial = scenario.make()
            let threads = trial.threads.count
            let workers = threads..<(threads + scenario.workers)
            scheduler.run(trial.threads + workers.map { _ in { Tasks.work(workers) } })
            if place < order.choices.count { diverge() }
            Tasks.drain()
            withExtendedLifetime(trial) { trial.check() }
        }
        Tasks.drain()
        require(Counted.alive == 0, "9.4 \(Counted.alive) objects are left")
        Counted.alive = 0
        return Findings.all.first
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
        if isTracing { scheduler.trace = { print($0) } }
        _ = find(in: turns)
        Failure.report(finding)
    }

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
            if !hasGrown() { return }
        }
        Failure.report("9.4 memory is left each time")
    }

    private func choose(_ count: Int, _ isFree: Bool) -> Int {
        if place < order.choices.count {
            let known = order.choices[place]
            if known.count != count || known.isFree != isFree { diverge() }
        }
        if place == order.choices.count {
            let taken = min(pick(count, isFree), count - 1)
            order.choices.append(Order.Choice(count: UInt8(count), taken: UInt8(taken), isFree: isFree))
        }
        let taken = Int(order.choices[place].taken)
        if taken > 0 { Failure.note(place: place, taken: taken) }
        place += 1
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
