// The step that is undone at once.
import KeyValueObserving

/// The properties that are reverted together.
///
/// Each property holds its own changes of the step.
///
/// A step keeps no order across properties, because they are reverted in a transaction.
final class UndoStep: Identifiable {
    var name: String?
    /// The property whose further changes it takes, and the time of the last one.
    var typing: (property: ObjectIdentifier, time: Duration)?
    /// The changed properties, in the order of their first changes.
    private(set) var properties: [any AnyTrackedProperty] = []

    init(named name: String? = nil) { self.name = name }

    deinit { forgetChanges() }

    /// Whether it changes a living object.
    var isAlive: Bool { properties.contains { $0.isTracked && $0.isChanged(in: id) } }

    func append<Object, Value>(_ change: KeyValueObservedChange<Value>, of property: TrackedProperty<Object, Value>) {
        if property.changes[id] == nil { properties.append(property) }
        property.append(change, to: id)
    }

    /// Adds changes that were saved.
    func add<Object, Value>(_ changes: StepChanges<Value>, of property: TrackedProperty<Object, Value>) {
        property.changes[id] = changes
        properties.append(property)
    }

    /// Drops the properties that have the same values as before the step.
    func dropVoid() {
        for property in properties { property.dropIfVoid(in: id, isComplete: true) }
        properties.removeAll { property in
            if property.isChanged(in: id) { return false }
            property.forget(id)
            return true
        }
    }

    func forgetChanges() {
        for property in properties { property.forget(id) }
        properties = []
    }

    /// Reverts its changes in copies of the values, of some properties or all, and checks that they fit.
    func rehearse(
        in copies: inout ValueCopies, of some: [any AnyTrackedProperty]? = nil
    ) throws(KeyValueUndoError) {
        let some = some.map { Set($0.map { ObjectIdentifier($0) }) }
        for property in properties where some?.contains(ObjectIdentifier(property)) ?? true {
            try property.rehearse(id, in: &copies)
        }
    }

    /// Reverts its changes, the last ones first, so that the properties have the values of the copies.
    func revert(to copies: ValueCopies) {
        copies.set(properties) { for property in properties.reversed() { property.revert(id) } }
    }

    /// Adds the changes of another step that go beyond the copies.
    func append(_ other: UndoStep, beyond copies: ValueCopies) {
        for property in other.properties { property.carry(from: other.id, beyond: copies, to: self) }
        dropVoid()
    }

    /// Replaces its changes by the inverse ones.
    func invert() {
        for property in properties { property.invert(id) }
        properties.reverse()
    }
}

/// A step being reverted.
struct Reversal {
    /// Whether it is being undone; otherwise, it is being redone.
    let isUndo: Bool
    /// The changes made meanwhile.
    let recorded: UndoStep
    /// Whether to drop it.
    var isDropped = false
}
