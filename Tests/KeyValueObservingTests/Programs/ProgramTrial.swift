// One program, performed on real objects and on the model.
import KeyValueObserving

/// Performs operations on real objects and on the model, and compares the two.
final class ProgramTrial {
    let model: ProgramModel
    private let world: ProgramWorld

    /// - Parameters:
    ///   - kind: What the objects are.
    ///   - isListeningElsewhere: Whether actors and sequences listen, too.
    init(_ kind: ProgramKind, listeningElsewhere isListeningElsewhere: Bool) {
        model = ProgramModel(objects: 3, kind)
        world = ProgramWorld(kind.objects(count: 3), listeningElsewhere: isListeningElsewhere)
    }

    /// Waits for the actors and sequences that listen.
    ///
    /// - Returns: What did not arrive as it was delivered at once; nil if all did.
    func failureElsewhere() async -> String? { await world.listeners?.failure() }

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
    private static func failure(
        of operations: [ProgramOperation], _ kind: ProgramKind, listeningElsewhere isListeningElsewhere: Bool
    ) -> String? {
        let trial = ProgramTrial(kind, listeningElsewhere: isListeningElsewhere)
        for operation in operations {
            if let failure = trial.failure(after: operation) { return failure }
        }
        return nil
    }

    /// Leaves out of a program that fails what it fails without, in ever smaller pieces.
    ///
    /// - Returns: The program that remains, with what is not as expected in it.
    static func shortest(
        _ operations: [ProgramOperation], _ kind: ProgramKind, listeningElsewhere isListeningElsewhere: Bool
    ) -> String {
        var program = operations
        var wasShortened = true
        while wasShortened {
            wasShortened = false
            var size = max(1, program.count / 2)
            while size > 0 {
                var start = 0
                while start < program.count {
                    var shorter = program
                    shorter.removeSubrange(start..<min(start + size, program.count))
                    if failure(of: shorter, kind, listeningElsewhere: isListeningElsewhere) != nil {
                        (program, wasShortened) = (shorter, true)
                    } else {
                        start += size
                    }
                }
                size /= 2
            }
        }
        let steps = program.map { "\($0)" }.joined(separator: "\n")
        return "\(steps)\n\(failure(of: program, kind, listeningElsewhere: isListeningElsewhere) ?? "not seen again")"
    }
}
