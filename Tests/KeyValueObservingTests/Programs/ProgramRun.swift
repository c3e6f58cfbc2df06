// The program of one seed, performed on real objects and on the model.
import KeyValueObserving

/// Makes the steps of a program until one is not as expected.
struct ProgramRun {
    private let seed: UInt64
    private let steps: Int
    private var generator: ProgramGenerator
    private var step = 0

    /// After so many steps the objects are new: with more and more registrations steps would become slow.
    private static let stepsOfWorld = 250

    init(seed: UInt64, steps: Int) {
        self.seed = seed
        self.steps = steps
        generator = ProgramGenerator(seed: seed)
    }

    /// Performs all steps.
    ///
    /// - Returns: What was not as expected, with the shortest program that shows it; nil if all was.
    mutating func failure() -> String? {
        while step < steps {
            generator.restart()
            let trial = ProgramTrial()
            var operations: [ProgramOperation] = []
            for _ in 0..<min(Self.stepsOfWorld, steps - step) {
                step += 1
                operations.append(generator.next(trial.model))
                if trial.failure(after: operations[operations.count - 1]) != nil {
                    return "seed \(seed), step \(step)\n\(ProgramTrial.shortest(operations))"
                }
            }
        }
        return nil
    }
}

/// Performs operations on real objects and on the model, and compares the two.
private final class ProgramTrial {
    let model = ProgramModel(objects: 3)
    private let world = ProgramWorld()

    /// Performs an operation.
    ///
    /// - Returns: What was not as the model expects; nil if all was.
    func failure(after operation: ProgramOperation) -> String? {
        model.perform(operation)
        world.perform(operation)
        let (delivered, expected) = (world.takeEvents(), model.takeEvents())
        guard delivered == expected, world.state == model.objects,
            !model.isQuiet || !model.areReplicasCurrent || world.isReplayed, model.unread.isEmpty
        else {
            return """
                delivered \(delivered)
                expected  \(expected)
                is        \(world.state)
                model     \(model.objects)
                replayed  \(world.isReplayed)
                unread    \(model.unread)
                """
        }
        return nil
    }

    /// What was not as expected in a whole program; nil if all was.
    private static func failure(of operations: [ProgramOperation]) -> String? {
        let trial = ProgramTrial()
        for operation in operations {
            if let failure = trial.failure(after: operation) { return failure }
        }
        return nil
    }

    /// Leaves out of a program that fails what it fails without, in ever smaller pieces.
    ///
    /// - Returns: The program that remains, with what is not as expected in it.
    static func shortest(_ operations: [ProgramOperation]) -> String {
        var program = operations
        var size = max(1, program.count / 2)
        while size > 0 {
            var (start, wasShortened) = (0, false)
            while start < program.count {
                var shorter = program
                shorter.removeSubrange(start..<min(start + size, program.count))
                if failure(of: shorter) != nil { (program, wasShortened) = (shorter, true) } else { start += size }
            }
            if !wasShortened { size /= 2 }
        }
        let steps = program.map { "\($0)" }.joined(separator: "\n")
        return "\(steps)\n\(failure(of: program) ?? "not seen again")"
    }
}
