// The command: what is measured and what becomes of it.
import ArgumentParser
import Foundation

/// `benchmarks`, without a subcommand.
@main
struct Benchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures this library beside plain properties, didSet, Observation and OpenCombine.")

    @Flag(help: "Run everything once and shortly, to see that it works.")
    var brief = false

    @Flag(help: "Compare with the bars, trying again twice what misses one, and fail if one is missed.")
    var check = false

    @Option(help: "Only what has this in its name.")
    var filter: String?

    @Flag(help: "How times and memory grow with the number of observers, elements and objects, instead.")
    var growth = false

    @Flag(help: "Print JSON instead of tables.")
    var json = false

    @Flag(help: "List the names of all loops.")
    var list = false

    @Option(help: "Run one loop without timing it, for a program that counts its instructions.")
    var loop: String?

    @Option(help: "How many operations that loop performs.")
    var count = 1_000

    func run() throws {
        if list {
            for loop in Loop.all { print(loop.name) }
        } else if let name = loop {
            guard let loop = Loop.all.first(where: { $0.name == name }) else {
                throw ValidationError("There is no loop \(name); --list names them all.")
            }
            guard count > 0 else { throw ValidationError("--count must be above 0.") }
            let prepared = loop.prepare()
            prepared.run(count)
            prepared.check()
        } else if growth {
            let curves = Curve.all(isBrief: brief)
            print(json ? try encodedAsJSON(["curves": curves]) : curves.map(\.description).joined(separator: "\n\n"))
        } else {
            try measure()
        }
    }

    private func measure() throws {
        let effort = brief ? Effort.brief : .full
        let selection = Selection(filter)
        var report = Report()
        report.add(timed(selection.loops, effort))
        report.add(heapFigures().filter { selection.names.contains($0.name) })
        let missed = check ? retryMissed(of: selection.bars, effort, &report) : []
        if json {
            print(try report.json(selection.bars))
        } else if brief, !check {
            print("\(report.inOrder.count) figures were measured, from too few repetitions to say anything.")
        } else {
            print("\(report.table)\n\n\(report.table(of: selection.bars))")
        }
        if !missed.isEmpty {
            let names = missed.map { "missed: \($0.measure)\n" }.joined()
            // What was printed comes first, also where both go to one file.
            fflush(nil)
            FileHandle.standardError.write(Data(names.utf8))
            throw ExitCode.failure
        }
    }

    /// Measures again, twice at most, what misses its bar by more than the noise explains.
    private func retryMissed(of bars: [Bar], _ effort: Effort, _ report: inout Report) -> [Bar] {
        func missed(of bars: [Bar]) -> [Bar] {
            bars.filter { $0.verdict(in: report.figures, margin: 0.15) == .missed }
        }
        var missing = missed(of: bars)
        for _ in 0..<2 {
            let again = Set(missing.filter(\.isNoisy).flatMap(\.reading.names))
            if again.isEmpty { break }
            report.add(timed(Loop.all.filter { again.contains($0.name) }, effort))
            // What was met stays met: its figures were measured together, and some of them may be new now.
            missing = missed(of: missing)
        }
        return missing
    }
}

/// Loops and bars that a filter leaves.
private struct Selection {
    let loops: [Loop]
    let bars: [Bar]
    let names: Set<String>

    /// Leaves what has the text in its name, and what the bars left are read from.
    init(_ filter: String?) {
        func isLeft(_ name: String) -> Bool { filter.map { name.contains($0) } ?? true }
        let bars = Bar.all.filter { isLeft($0.measure) || $0.reading.names.contains(where: isLeft) }
        let needed = Set(bars.flatMap(\.reading.names))
        self.bars = bars
        loops = Loop.all.filter { isLeft($0.name) || needed.contains($0.name) }
        names = needed.union(heapFigures(count: 1).map(\.name).filter(isLeft))
    }
}
