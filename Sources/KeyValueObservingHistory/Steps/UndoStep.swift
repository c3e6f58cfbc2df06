// What is undone at once.
import KeyValueObserving

/// The properties that are changed back at once, each of which holds its changes by the step.
///
/// The order across properties is that of the transaction in which they are changed back, so it is not kept.
final class UndoStep: Identifiable {
    var name: String?
    /// The property whose further changes it takes, and the time of the last one.
    var typing: (property: ObjectIdentifier, time: Duration)?
    /// In the order of their first changes.
    private(set) var properties: [any AnyTrackedProperty] = []

    init(named name: String? = nil) { self.name = name }

    deinit { forgetChanges() }

    /// Whether it changes an object that lives.
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

    /// Forgets the properties that have the values they had before it.
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

    /// Takes its changes back in copies of the values, of some properties or all, and checks that they fit.
    func rehearse(
        in copies: inout ValueCopies, of some: [any AnyTrackedProperty]? = nil
    ) throws(KeyValueUndoError) {
        let some = some.map { Set($0.map { ObjectIdentifier($0) }) }
        for property in properties where some?.contains(ObjectIdentifier(property)) ?? true {
            try property.rehearse(id, in: &copies)
        }
    }

    /// Takes its changes back, the last ones first, so that the properties have the values of the copies.
    func revert(to copies: ValueCopies) {
        copies.set(properties) { for property in properties.reversed() { property.revert(id) } }
    }

    /// Adds what another step changed beyond leading to the copies.
    func append(_ other: UndoStep, beyond copies: ValueCopies) {
        for property in other.properties { property.carry(from: other.id, beyond: copies, to: self) }
        dropVoid()
    }

    /// Makes it the step that takes it back.
    func invert() {
        for property in properties { property.invert(id) }
        properties.reverse()
    }
}

/// A step that is being taken back.
struct Reversal {
    /// Whether it is being undone, or else redone.
    let isUndo: Bool
    /// What changes meanwhile.
    let recorded: UndoStep
    /// Whether it is to be forgotten.
    var isDropped = false
}
