// What is undone at once.
import KeyValueObserving

/// The changes that are undone at once, property by property.
///
/// Each property's changes are in their order. The order across properties is that of the transaction in which they are
/// undone, so it is not kept.
final class UndoStep {
    var name: String?
    /// In the order of their first changes.
    private(set) var parts: [any AnyStepPart] = []

    init(named name: String?, _ parts: [any AnyStepPart] = []) {
        self.name = name
        self.parts = parts
    }

    /// Whether an object of its changes lives.
    var isAlive: Bool { parts.contains { $0.property.isTracked } }

    var isEmpty: Bool { parts.isEmpty }

    func append<Object, Value>(_ change: KeyValueObservedChange<Value>, of property: TrackedProperty<Object, Value>) {
        let known = parts.lazy.compactMap { $0 as? StepPart<Object, Value> }.first { $0.property === property }
        if let known { return known.append(change) }
        let part = StepPart(property)
        parts.append(part)
        part.append(change)
    }

    /// Checks that its changes can be taken back.
    func checkReversal() throws(KeyValueUndoError) {
        for part in parts where part.property.isTracked { try part.checkReversal() }
    }

    /// Makes its changes in copies of the values, and checks that they fit.
    func rehearse(in copies: inout ValueCopies) throws(KeyValueUndoError) {
        for part in parts { try part.rehearse(in: &copies) }
    }

    /// Takes its changes back, the last ones first.
    func revert() {
        for part in parts.reversed() { part.revert() }
    }

    /// Makes its changes again.
    func repeatChanges() {
        for part in parts { part.repeatChanges() }
    }
}

/// A step that is being taken back.
struct Reversal {
    enum Direction { case undoing, redoing }

    let direction: Direction
    /// What changes meanwhile, by which the reversal is taken back.
    let recorded: UndoStep
    /// Whether it is to be forgotten.
    var isDropped = false
}
