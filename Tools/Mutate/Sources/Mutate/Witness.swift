// Programs beside the tests that may notice a variant: scenarios of threads, and loops whose instructions are counted.

internal import Foundation

/// A program of parts, each of which runs by itself.
protocol Witness: Sendable {
    /// The names of its parts.
    var parts: [String] { get }

    /// The command that runs a part for a moment; it succeeds without a variant.
    func glance(at part: String) -> [String]

    /// What a variant changes in one of these parts; nil if nothing does.
    func difference(of variant: Int, in parts: [String]) throws -> String?
}

/// A witness, and what each of its parts reaches.
struct RecordedWitness {
    let witness: any Witness
    private let reached: [(part: String, variants: IndexSet)]

    init(_ witness: any Witness, _ workplace: Workplace, variants count: Int) throws {
        self.witness = witness
        reached = try inParallel(witness.parts) { part in
            try workplace.recording(count) { file in
                try Command.check(witness.glance(at: part), environment: ["MUTATION_REACHED": file.path])
                return part
            }
        }
    }

    func difference(of variant: Variant) throws -> String? {
        let parts = reached.filter { $0.variants.contains(variant.number) }.map(\.part)
        return parts.isEmpty ? nil : try witness.difference(of: variant.number, in: parts)
    }
}

/// The scenarios of `Scripts/explore`, run with the variants compiled in.
struct Scenarios: Witness {
    let parts: [String]
    private let program: String
    private let seconds: Double

    init(_ workplace: Workplace, seconds: Double) throws {
        self.seconds = seconds
        let folder = workplace.scratch.appending(path: "scheduled")
        try Command.check([
            workplace.root.appending(path: "Verification/Explore/Library/copy").path, workplace.copy.path, folder.path,
        ])
        program = try workplace.buildRelease("Explore", in: folder.appending(path: "Verification/Explore"))
        parts = try Command.check([program, "--list"]).split(separator: "\n").map { line in
            String(line[..<(line.range(of: " (")?.lowerBound ?? line.endIndex)])
        }
    }

    func glance(at part: String) -> [String] {
        [program, "--scenario", part, "--preemptions", "1", "--seconds", "0.5"]
    }

    func difference(of variant: Int, in parts: [String]) throws -> String? {
        // On one core a thread hands over to another one several times faster.
        let pin = try Command.isThere("taskset") ? ["taskset", "-c", "\(variant % 2)"] : []
        let command = pin + [program] + parts.flatMap { ["--scenario", $0] }
        let environment = [
            "MUTATION": "\(variant)", "SWIFT_DETERMINISTIC_HASHING": "1", "MALLOC_ARENA_MAX": "1",
            "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "SWIFT_BACKTRACE": "enable=no",
        ]
        let (status, output) = try Command.run(
            command + ["--seconds", "\(seconds)"], environment: environment, limit: 3 * seconds + 30)
        if status == 0 { return nil }
        let line = output.split(separator: "\n").first { $0.hasPrefix("explore: ") }
        return line.map(String.init) ?? "explore: \(status == nil ? "hung" : "crashed")"
    }
}

/// The loops of the benchmarks, whose instructions valgrind counts.
struct Loops: Witness {
    let parts: [String]
    private let program: String
    /// By loop, how many instructions the program takes without a variant, and how many of these a single turn takes.
    private let known: [String: (all: Int, turn: Double)]

    private static let turns = 300

    init(_ workplace: Workplace) throws {
        let built = try workplace.buildRelease("benchmarks", in: workplace.copy.appending(path: "Benchmarks"))
        let program = workplace.scratch.appending(path: "benchmarks-stripped").path
        // valgrind gives up on debug information that it does not know.
        try Command.check(["strip", "--strip-debug", "-o", program, built])
        // Not what depends on other threads, and what takes valgrind long.
        parts = try Command.check([program, "--list"]).split(separator: "\n").map(String.init).filter { loop in
            !loop.contains(/threads|elsewhere|traced|0000/)
                && loop.contains(/\/(observed|observed-before|shared|controller|tracked|bindings|clamps)$/)
        }
        let counts = try inParallel(parts) { loop in
            guard let once = try Self.instructions(program, loop, Self.turns),
                let twice = try Self.instructions(program, loop, 2 * Self.turns)
            else { throw CommandError(command: ["valgrind", program, loop], output: "It counts nothing.") }
            return (loop, (all: once, turn: Double(twice - once) / Double(Self.turns)))
        }
        known = Dictionary(uniqueKeysWithValues: counts)
        self.program = program
    }

    func glance(at part: String) -> [String] { [program, "--loop", part, "--count", "3"] }

    func difference(of variant: Int, in parts: [String]) throws -> String? {
        for loop in parts {
            guard let (all, turn) = known[loop] else { continue }
            guard let count = try Self.instructions(program, loop, Self.turns, variant: variant) else {
                return "\(loop): it does not come to its end"
            }
            let more = Double(count - all) / Double(Self.turns)
            // Fewer than that come from elsewhere: addresses, and when memory is asked for.
            if abs(more) > max(5, turn / 100) { return "\(loop): \(Int(turn)) instructions, \(Int(more)) more" }
        }
        return nil
    }

    /// How many instructions the whole program takes; nil if it does not come to its end.
    private static func instructions(_ program: String, _ loop: String, _ turns: Int, variant: Int = -1) throws -> Int?
    {
        let (_, output) = try Command.run(
            [
                "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--loop", loop, "--count",
                "\(turns)",
            ], environment: ["MUTATION": "\(variant)", "SWIFT_DETERMINISTIC_HASHING": "1"], limit: 120)
        return output.firstMatch(of: /Collected : (\d+)/).flatMap { Int($0.1) }
    }
}
