// Random programs against a model: 3.1–3.6, 4, 6, 7, 10 and 16.2 of the contract all at once, and 7.5.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("Random programs")
struct ProgramTests {
    /// What the environment asks for: PROGRAM_SEEDS seeds of PROGRAM_STEPS steps each, from PROGRAM_FIRST_SEED on, and as
    /// many steps on each of two threads.
    private static let firstSeed = UInt64(environment("PROGRAM_FIRST_SEED") ?? 1)
    private static let seeds = firstSeed..<(firstSeed + UInt64(environment("PROGRAM_SEEDS") ?? 2))
    private static let steps = environment("PROGRAM_STEPS") ?? (isUnderThreadSanitizer ? 1_000 : 10_000)
    /// Where one of these does not hold, elements are a setting at the ends of paths, and of what is inherited.
    private static let areElementsKnown =
        RuntimeAssumption.keyPathComponents.holds && RuntimeAssumption.overrides.holds

    private static func environment(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    // #83
    @Test(
        "7.5 16.2 Every delivery is the one that the model expects, and replaying changes gives the values",
        .enabled(if: areElementsKnown),
        arguments: seeds)
    func programs(seed: UInt64) {
        var run = ProgramRun(seed: seed, steps: Self.steps)
        if let failure = run.failure() { Issue.record("\(failure)") }
    }

    @Test(
        "9.1 Programs of two threads, each with objects of its own, do not disturb one another",
        .enabled(if: areElementsKnown))
    func programsOnThreads() {
        let failures = Guarded<[String]>([])
        onThreads(2) { thread in
            var run = ProgramRun(seed: Self.firstSeed &+ 1_000_000 &+ UInt64(thread), steps: Self.steps)
            if let failure = run.failure() { failures.withLock { $0.append(failure) } }
        }
        #expect(failures.withLock { $0 } == [])
    }
}
