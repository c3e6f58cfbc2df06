// Random programs against a model: 3.1–3.6, 4, 6 and 7 of the contract all at once, and 7.5.
import Foundation
import KeyValueObserving
import Testing

@Suite("Random programs")
struct ProgramTests {
    /// 100,000 steps in all, or what the environment asks for: PROGRAM_SEEDS seeds of PROGRAM_STEPS steps each, from
    /// PROGRAM_FIRST_SEED on, and as many steps on each of two threads.
    private static let firstSeed = UInt64(environment("PROGRAM_FIRST_SEED") ?? 1)
    private static let seeds = firstSeed..<(firstSeed + UInt64(environment("PROGRAM_SEEDS") ?? 8))
    private static let steps = environment("PROGRAM_STEPS") ?? (isUnderThreadSanitizer ? 1_000 : 10_000)
    /// After so many steps the objects are new: with more and more registrations steps would become slow.
    private static let stepsOfWorld = 250

    private static func environment(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test(
        "7.5 Every delivery is the one that the model expects, and replaying changes gives the values",
        arguments: seeds)
    func programs(seed: UInt64) {
        if let failure = Self.run(seed: seed) { Issue.record("\(failure)") }
    }

    @Test("9.1 Programs of two threads, each with objects of its own, do not disturb one another")
    func programsOnThreads() {
        let failures = Guarded<[String]>([])
        onThreads(2) { thread in
            if let failure = Self.run(seed: Self.firstSeed &+ 1_000_000 &+ UInt64(thread)) {
                failures.withLock { $0.append(failure) }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    /// Runs the program of a seed.
    ///
    /// - Returns: What was not as expected, with the shortest program that shows it; nil if all was.
    private static func run(seed: UInt64) -> String? {
        var generator = ProgramGenerator(seed: seed)
        var step = 0
        while step < steps {
            generator.restart()
            let trial = ProgramTrial()
            var operations: [ProgramOperation] = []
            for _ in 0..<min(stepsOfWorld, steps - step) {
                step += 1
                operations.append(generator.next(trial.model))
                if trial.failure(after: operations[operations.count - 1]) != nil {
                    return "seed \(seed), step \(step)\n\(ProgramTrial.shortest(operations))"
                }
                // A new program begins where the model does not know.
                if trial.model.isUncertain { break }
            }
        }
        return nil
    }
}
