// The core's random programs, with objects of classes that the macro declares.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("Random programs with macro-declared classes")
struct DeclaredProgramTests {
    /// 10,000 steps of each kind, or what the environment asks for, as for the core's.
    private static let firstSeed = UInt64(environment("PROGRAM_FIRST_SEED") ?? 1)
    private static let seeds = firstSeed..<(firstSeed + UInt64(environment("PROGRAM_SEEDS") ?? 2))
    private static let steps = environment("PROGRAM_STEPS") ?? (isUnderThreadSanitizer ? 1_000 : 5_000)

    private static func environment(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test(
        "20.1 Every delivery of a macro-declared class is the one that the model of a hand-written one expects",
        arguments: seeds)
    func declared(seed: UInt64) {
        var run = ProgramRun(seed: seed, .declared, steps: Self.steps)
        while run.nextWorld() != nil {}
        if let failure = run.failure { Issue.record("\(failure)") }
    }

    @Test(
        "20.2 4.1 Every delivery of properties with code of their own is what the model expects of announced ones",
        arguments: seeds)
    func watched(seed: UInt64) {
        var run = ProgramRun(seed: seed, .watched, steps: Self.steps)
        while run.nextWorld() != nil {}
        if let failure = run.failure { Issue.record("\(failure)") }
    }
}
