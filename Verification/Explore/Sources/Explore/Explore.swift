// The command: which scenarios, how far, and what is printed.
import ArgumentParser
import Foundation
import KeyValueObserving

@main
struct Explore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Runs threads that use the library in all orders with few preemptions, and in others at random.")

    @Option(help: "A scenario, or a part of its name; all if there is none.")
    var scenario: [String] = []

    @Option(help: "Runs all orders with at most so many preemptions.")
    var preemptions = 3

    @Option(help: "Stops after so many seconds, which the scenarios share; the time left is for random orders.")
    var seconds: Double?

    @Option(help: "Begins the random orders.")
    var seed: UInt64 = 1

    @Option(help: "Runs one order of a scenario, which an earlier run printed.")
    var replay: String?

    @Flag(help: "Prints the scenarios and the promises that they are about.")
    var list = false

    @Flag(help: "Runs a copy of the library with each of its faults; only Scripts/explore can.")
    var faults = false

    @Option(help: "Which of the faults, by their numbers; all if there is none.")
    var fault: [Int] = []

    @Option(help: .hidden)
    var writeFaults: String?

    func validate() throws {
        guard let unknown = fault.first(where: { !(1...Fault.all.count).contains($0) }) else { return }
        throw ValidationError("There is no fault \(unknown): they have the numbers 1 to \(Fault.all.count).")
    }

    func run() throws {
        if let writeFaults { return try Fault.writeAll(at: writeFaults) }
        if faults || !fault.isEmpty { return try FaultRuns(seconds: seconds ?? 60).run(fault) }
        let scenarios = chosen()
        if list {
            for scenario in scenarios { print("\(scenario.name) (\(scenario.promises))") }
            return
        }
        Scheduling.begin()
        Tasks.begin()
        KeyValueDiagnostics.noteHandler = { _ in userCode() }
        if let replay {
            guard let turns = Order.Turn.turns(in: replay), scenarios.count == 1 else {
                throw ValidationError("--replay needs one scenario and an order as it was printed")
            }
            Explorer(scenarios[0], tracing: true).replay(turns)
            print("nothing is wrong in this order")
            return
        }
        explore(scenarios)
    }

    private func chosen() -> [Scenario] {
        Scenario.all.filter { known in
            scenario.isEmpty || scenario.contains { known.name == $0 }
                || !Scenario.all.contains { scenario.contains($0.name) }
                    && scenario.contains { known.name.contains($0) }
        }
    }

    private func explore(_ scenarios: [Scenario]) {
        let start = Date()
        var total = 0
        for (index, scenario) in scenarios.enumerated() {
            // What one leaves, the others have.
            let end = seconds.map { start + $0 * Double(index + 1) / Double(scenarios.count) }
            let begin = Date()
            let counts = Explorer(scenario).explore(mostPreemptions: preemptions, until: end, seed: seed)
            total += counts.all
            let known = (0...preemptions).map { "\(counts.byPreemptions[$0] ?? 0)" }.joined(separator: "+")
            let complete = counts.complete.map { "all with up to \($0) preemptions" } ?? "not all without preemptions"
            let time = String(format: "%.1f", Date().timeIntervalSince(begin))
            print("\(scenario.name): \(known) orders, \(complete); \(counts.random) at random; \(time) s")
            fflush(nil)
        }
        print("explore: \(scenarios.count) scenarios, \(total) orders, nothing wrong")
    }
}
