// The command line.

internal import ArgumentParser
internal import Foundation

@main
struct Mutate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Alters one statement or condition at a time, and tells which changes nothing notices.",
        discussion: """
            All variants are compiled into one copy of the package, in .build-mutate, and switched on by number. For each \
            one, the tests that reach it run until one of them fails, crashes or takes far too long. What no test notices \
            is given to the scenarios of Scripts/explore, and then to the benchmarks, whose instructions are counted.
            """)

    @Option(help: "Only files below this folder, e.g. Sources/KeyValueObserving/Binding. May be repeated.")
    var folder: [String] = []

    @Option(help: "Only files whose path ends like this, e.g. TwoWayBinding.swift. May be repeated.")
    var file: [String] = []

    @Option(help: "Only the variant with this number. May be repeated.")
    var only: [Int] = []

    @Option(help: "Only so many variants, picked at random.")
    var sample: Int?

    @Option(help: "What the random choice begins with.")
    var seed: UInt64 = 1

    @Option(help: "Leaves out the tests that take more seconds than this.")
    var longest = 1.0

    @Option(help: "Runs at most so many tests for a variant: those that are about its folder most.")
    var most = 60

    @Option(help: "The seconds for which scenarios look at a variant that no test notices; 0 leaves them out.")
    var explore = 20.0

    @Flag(
        inversion: .prefixedNo, help: "Counts the instructions of benchmarks with a variant that nothing else notices.")
    var counts = true

    @Flag(help: "Takes the variants of the macros, and their tests, in place of those of the library.")
    var macros = false

    @Flag(help: "Lists the variants and runs nothing.")
    var list = false

    @Flag(help: "Keeps the results of earlier runs, and runs what has none.")
    var resume = false

    @Flag(help: "Runs again what was not noticed in earlier runs, and keeps the rest.")
    var again = false

    @Flag(help: "Only prints the results of earlier runs.")
    var report = false

    func run() throws {
        let workplace = Workplace(
            root: URL(filePath: FileManager.default.currentDirectoryPath), isOfMacros: macros)
        var build = try Build(workplace)
        let results = Results(workplace.resultsFile)
        if list || report {
            let chosen = choose(from: build.variants)
            if list { for variant in chosen { print("[\(variant.number)] \(variant.description)") } }
            if report { show(chosen, results) }
            return
        }
        let all = build.files.flatMap(\.variants).count
        print("\(all) variants in \(build.files.count) files")
        try build.run()
        print("\(all - build.variants.count) of them do not compile and are left out")
        let chosen = choose(from: build.variants)
        let process = try TestProcess(workplace)
        var witnesses: [any Witness] = []
        if explore > 0, !macros { witnesses.append(try Scenarios(workplace, seconds: explore)) }
        if counts, !macros, try Command.isThere("valgrind") {
            witnesses.append(try Loops(workplace))
        }
        let trial = Trial(
            process: process, reach: try Reach(build, process),
            witnesses: try witnesses.map { try RecordedWitness($0, workplace, variants: all) }, longest: longest,
            most: most)
        if !resume || again {
            try results.forget(chosen.map(\.key).filter { !again || results.verdicts[$0]?.result != .noticed })
        }
        try judge(chosen.filter { results.verdicts[$0.key] == nil }, trial, results)
        show(chosen, results)
    }

    private func show(_ chosen: [Variant], _ results: Results) {
        Report(variants: chosen, verdicts: results.verdicts).printAll()
    }

    private func choose(from variants: [Variant]) -> [Variant] {
        var chosen = variants.filter { variant in
            (only.isEmpty || only.contains(variant.number))
                && (folder.isEmpty && file.isEmpty || folder.contains { variant.file.hasPrefix($0.trimmingSlash + "/") }
                    || file.contains { variant.file.hasSuffix($0) })
        }
        if let sample {
            var generator = SplitMix(state: seed)
            chosen = chosen.shuffled(using: &generator).prefix(sample).sorted { $0.number < $1.number }
        }
        return chosen
    }

    private func judge(_ variants: [Variant], _ trial: Trial, _ results: Results) throws {
        let start = ContinuousClock.now
        let writing = NSLock()
        // Both are used under the lock only.
        nonisolated(unsafe) let results = results
        nonisolated(unsafe) var done = 0
        let total = variants.count
        _ = try inParallel(variants) { variant in
            let verdict = try trial.judge(variant)
            try writing.withLock {
                try results.note(verdict, for: variant.key)
                done += 1
                let seconds = Int(start.duration(to: .now) / .seconds(1))
                let result = "\(verdict.result.rawValue) \(variant.description) (\(verdict.note))"
                print("\(done)/\(total) \(seconds)s \(result)")
                fflush(nil)
            }
        }
    }
}

/// Random numbers from a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

extension String {
    fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
