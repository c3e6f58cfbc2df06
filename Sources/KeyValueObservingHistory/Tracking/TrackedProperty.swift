// A property whose changes are recorded.
import KeyValueObserving

/// A tracked property, before its type is known.
protocol AnyTrackedProperty: AnyObject {
    /// Whether its object lives and is tracked.
    var isTracked: Bool { get }
    /// What it is called, as the class writes it.
    var key: String { get }
    /// The type of its object.
    var objectType: String { get }
    /// What its object is called where steps are saved.
    var objectName: String? { get }
    /// Within which time its changes are one step.
    var coalescing: Duration? { get }
    /// What registrations at it are made on.
    var target: ObjectIdentifier? { get }
    /// Its changes in a saved step.
    func decodePart(from decoder: any Decoder) throws -> any AnyStepPart
}

/// A tracked property.
final class TrackedProperty<Object: KeyValueObservable, Value>: AnyTrackedProperty {
    let keyPath: ReferenceWritableKeyPath<Object, Value>
    let coalescing: Duration?
    let elements = ElementChanges<Value>.find()
    private let owner: TrackedObject

    init(
        _ object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>, coalescing: Duration?,
        in owner: TrackedObject
    ) {
        self.keyPath = keyPath
        self.coalescing = coalescing
        self.owner = owner
    }

    var object: Object? { owner.isTracked ? owner.object as? Object : nil }
    var isTracked: Bool { owner.isTracked }
    var key: String { PropertyNames.text(of: keyPath) }
    var objectType: String { owner.type }
    var objectName: String? { owner.name }
    var target: ObjectIdentifier? {
        owner.object.flatMap { RegistrationTarget.identity(ofAny: keyPath, on: $0) }
    }

    /// Makes a change in the property.
    func make(_ change: KeyValueObservedChange<Value>) {
        guard let object else { return }
        if change.kind == .setting {
            object[keyPath: keyPath] = change.requiredNewValue
        } else {
            elements.make(change, object.mutable(keyPath))
        }
    }

    /// Makes a change in a copy of the value, and checks that it fits.
    func make(_ change: KeyValueObservedChange<Value>, in copy: inout Value) throws(KeyValueUndoError) {
        if change.kind == .setting {
            let old = change.requiredOldValue
            guard SameValue.areSame(old, copy) else {
                throw error(expected: KeyValueUndoError.text(of: old), found: KeyValueUndoError.text(of: copy))
            }
            copy = change.requiredNewValue
        } else {
            guard elements.fits(change, copy) else {
                let expected = change.oldValue.map { KeyValueUndoError.text(of: $0) } ?? "a place for new elements"
                throw error(expected: expected, found: KeyValueUndoError.text(of: elements.concerned(change, copy)))
            }
            elements.makeInCopy(change, &copy)
        }
    }

    /// Says that the property has not the value that a step left.
    func error(expected: String, found: String) -> KeyValueUndoError {
        KeyValueUndoError(.unexpectedValue, objectType, key, expected: expected, found: found)
    }
}
