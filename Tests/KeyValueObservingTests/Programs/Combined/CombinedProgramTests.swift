// Random programs in which every operation happens inside every other one: sections 1 to 7, 10, 13 and 14 all at once.
import Foundation
import Testing

@Suite("Random programs that combine everything")
struct CombinedProgramTests {
    private static func environment(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// What the environment asks for (see `Scripts/programs`), or what a test has time for.
    private static let firstSeed = environment("COMBINED_FIRST_SEED") ?? 1
    private static let operations = environment("COMBINED_OPERATIONS") ?? (isSanitized ? 20_000 : 60_000)
    /// How many steps a program has; one that fails is easier to read if they are few.
    private static let steps = environment("COMBINED_STEPS") ?? 60
    private static let enoughForTable = 1_000_000
    private static let isSanitized = ProcessInfo.processInfo.environment["UNDER_SANITIZER"] != nil

    @Test(
        "3.5 7.5 9.3 9.4 10.2 13.2 13.3 Whatever happens inside what, everybody is told one chain that ends at the value",
        .timeLimit(.minutes(60)))
    func programs() {
        var table = CombinedTable()
        var seed = UInt64(Self.firstSeed)
        while table.operations < Self.operations {
            if CombinedProgram.isTracing { print("seed \(seed)") }
            let program = CombinedProgram(seed: seed, noting: CombinedProgram.isTracing)
            program.run(steps: Self.steps)
            if let failure = program.failure {
                let again = CombinedProgram(seed: seed, noting: true)
                again.run(steps: Self.steps)
                Issue.record("seed \(seed)\n\(again.journal.joined(separator: "\n"))\n\(failure)")
                return
            }
            table += program.table
            seed += 1
        }
        if table.operations >= Self.enoughForTable, Self.steps >= 60 { #expect(table.missing == []) }
        if Self.environment("COMBINED_TABLE") != nil {
            print(table)
            print("\(table.operations) operations, seeds \(Self.firstSeed)..<\(seed)")
        }
    }
}
