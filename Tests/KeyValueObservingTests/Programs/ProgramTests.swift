// Random programs against a model: 3.1–3.6, 6 and 7 of the contract all at once, and 7.5.
import Foundation
import KeyValueObserving
import Testing

@Suite("Random programs")
struct ProgramTests {
    /// 100,000 steps, or what the environment asks for: PROGRAM_SEEDS seeds of PROGRAM_STEPS steps each, from
    /// PROGRAM_FIRST_SEED on.
    private static let seeds: Range<UInt64> = {
        let first = UInt64(environment("PROGRAM_FIRST_SEED") ?? 1)
        return first..<(first + UInt64(environment("PROGRAM_SEEDS") ?? 10))
    }()
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
        var generator = ProgramGenerator(seed: seed)
        var step = 0
        while step < Self.steps {
            var model = ProgramModel(objects: 3)
            let world = ProgramWorld(objects: 3)
            for _ in 0..<min(Self.stepsOfWorld, Self.steps - step) {
                let operation = generator.next(model)
                model.perform(operation)
                world.perform(operation)
                let (told, expected) = (world.takeEvents(), model.takeEvents())
                guard told == expected, world.state == model.objects, world.isReplayed else {
                    Issue.record(
                        """
                        seed \(seed), step \(step): \(operation)
                        told     \(told.map(\.description))
                        expected \(expected.map(\.description))
                        is       \(world.state)
                        model    \(model.objects)
                        replayed \(world.isReplayed)
                        observed \(model.registrations.map(\.description))
                        """)
                    return
                }
                step += 1
            }
        }
    }
}
