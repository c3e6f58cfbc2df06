// The program of one seed, on one set of objects after the other.
import KeyValueObserving

/// Makes the steps of a program until one is not as expected.
struct ProgramRun {
    private let seed: UInt64
    private let kind: ProgramKind
    private let steps: Int
    private let isListeningElsewhere: Bool
    private var generator: ProgramGenerator
    private var step = 0
    /// What was not as expected, with the shortest program that shows it.
    private(set) var failure: String?

    /// After so many steps the objects are new: with more and more registrations steps would become slow.
    private static let stepsOfWorld = 250

    init(seed: UInt64, _ kind: ProgramKind, steps: Int, listeningElsewhere isListeningElsewhere: Bool = false) {
        self.seed = seed
        self.kind = kind
        self.steps = steps
        self.isListeningElsewhere = isListeningElsewhere
        generator = ProgramGenerator(seed: seed, kind)
    }

    var place: String { "seed \(seed), step \(step)" }

    /// Performs the next steps on new objects.
    ///
    /// - Returns: What they were performed on; nil if there are no more, or if something was not as expected.
    mutating func nextWorld() -> ProgramTrial? {
        guard step < steps else { return nil }
        generator.restart()
        let trial = ProgramTrial(kind, listeningElsewhere: isListeningElsewhere)
        var operations: [ProgramOperation] = []
        for _ in 0..<min(Self.stepsOfWorld, steps - step) {
            step += 1
            operations.append(generator.next(trial.model))
            if trial.failure(after: operations[operations.count - 1]) != nil {
                failure =
                    "\(place)\n\(ProgramTrial.shortest(operations, kind, listeningElsewhere: isListeningElsewhere))"
                return nil
            }
        }
        return trial
    }
}
