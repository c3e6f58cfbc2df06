// A property with its recorded changes.
import KeyValueObserving

/// A tracked property, without its type.
protocol AnyTrackedProperty: AnyObject {
    /// The object that has it.
    var owner: TrackedObject { get }
    /// The property's name, as the class writes it.
    var key: String { get }
    /// The time within which its changes are one step.
    var coalescing: Duration? { get set }
    /// Whether its changes are recorded; not while its object is in none of the collections that it is tracked for.
    var isObserved: Bool { get set }
    /// Begins to record its changes.
    func observe(
        by manager: KeyValueUndoManager, _ isolation: isolated (any Actor)?, _ fileID: StaticString, _ line: UInt)
    /// Whether a step changes it.
    func isChanged(in step: UndoStep.ID) -> Bool
    /// Drops its changes in a step, or in all steps for nil.
    func forget(_ step: UndoStep.ID?)
    /// Drops its changes in a step, if its value is the one before the step.
    func dropIfVoid(in step: UndoStep.ID, isComplete: Bool)
    /// Reverts the changes of a step in the copies, and checks that they fit.
    func rehearse(_ step: UndoStep.ID, in copies: inout ValueCopies) throws(KeyValueUndoError)
    /// Reverts the changes of a step.
    func revert(_ step: UndoStep.ID)
    /// Sets the property if it has another value than its copy.
    func restore(_ copies: ValueCopies)
    /// Adds to a step the changes of another one that go beyond the copies.
    func carry(from step: UndoStep.ID, beyond copies: ValueCopies, to other: UndoStep)
    /// Replaces the changes of a step by the inverse ones.
    func invert(_ step: UndoStep.ID)
    /// Saves its elements, which are objects, by name, as a `NamedElements` describes.
    func nameElements(by naming: Any)
    /// The objects with names that steps insert or remove.
    func elements(in steps: [UndoStep]) -> [AnyObject]
    /// The objects that it has in copies, or else now.
    func elements(in copies: ValueCopies) -> [AnyObject]
    /// The properties of an element that are tracked because it is in the list.
    func properties(of element: AnyObject, in manager: KeyValueUndoManager) -> [any AnyTrackedProperty]
    /// The saved form of an element, to make it again; nil if it is found by its name.
    func saved(_ element: AnyObject, in manager: KeyValueUndoManager) throws(KeyValueUndoError) -> SavedElement?
    func encode(_ element: SavedElement, to encoder: any Encoder) throws
    /// Makes an element unless one has its name.
    func decodeElement(from decoder: any Decoder) throws
    func encodeValue(to encoder: any Encoder) throws
    func decodeValue(from decoder: any Decoder, into copies: inout ValueCopies) throws
    func encode(_ step: UndoStep.ID, to encoder: any Encoder) throws
    func decode(from decoder: any Decoder, into step: UndoStep) throws
}

extension AnyTrackedProperty {
    /// Whether its object lives and is tracked.
    var isTracked: Bool { owner.isTracked }

    func failure(_ code: KeyValueUndoError.Code, expected: String, found: String) -> KeyValueUndoError {
        KeyValueUndoError(code: code, objectType: owner.type, key: key, expected: expected, found: found)
    }
}

/// A tracked property.
///
/// It holds its own changes of the steps, so that they end with the tracking.
final class TrackedProperty<Object: KeyValueObservable, Value>: AnyTrackedProperty {
    let owner: TrackedObject
    let keyPath: ReferenceWritableKeyPath<Object, Value>
    var coalescing: Duration?
    var isObserved = false
    var changes: [UndoStep.ID: StepChanges<Value>] = [:]
    let elements = ElementChanges<Value>.find()
    /// The way to save its elements, if they are objects with names.
    private(set) var naming: NamedElements<Value>?
    /// The place that first tracked it, which distinguishes properties without names.
    private let place: String

    init(
        _ keyPath: ReferenceWritableKeyPath<Object, Value>, of owner: TrackedObject, _ fileID: StaticString,
        _ line: UInt
    ) {
        self.keyPath = keyPath
        self.owner = owner
        place = "\("\(fileID)".split(separator: "/").last ?? ""):\(line)"
    }

    var object: Object? { owner.isTracked ? owner.object as? Object : nil }
    var key: String {
        var text = PropertyNames.text(of: keyPath)
        // Reading a property gives it a name; a saved step may come before its object is observed.
        if !PropertyNames.isComplete(text), let object, Registering.isObservable(keyPath, of: object) {
            text = PropertyNames.text(of: keyPath)
        }
        return PropertyNames.isComplete(text) ? text : "\(text) at \(place)"
    }

    func observe(
        by manager: KeyValueUndoManager, _ isolation: isolated (any Actor)?, _ fileID: StaticString, _ line: UInt
    ) {
        guard !isObserved else { return }
        isObserved = true
        guard let object else { return }
        manager.kvo.register(
            object, keyPath, [.old, .new], isolation: isolation, fileID, line, reentrant: true
        ) { [self] manager, _, change in manager.record(change, of: self) }
    }

    func nameElements(by naming: Any) {
        if elements.whole([]) != nil { self.naming = naming as? NamedElements<Value> }
    }

    func append(_ change: KeyValueObservedChange<Value>, to step: UndoStep.ID) {
        let isOfElements = change.kind != .setting || !change.steps.isEmpty
        let count = isOfElements ? object.flatMap { elements.count($0[keyPath: keyPath]) } : nil
        for change in change.steps.isEmpty ? [change] : change.steps {
            changes[step, default: StepChanges()].append(change, count: count)
        }
    }

    func isChanged(in step: UndoStep.ID) -> Bool { changes[step].map { !$0.list.isEmpty } ?? false }

    func forget(_ step: UndoStep.ID?) {
        guard let step else {
            changes = [:]
            return
        }
        changes[step] = nil
    }

    func dropIfVoid(in step: UndoStep.ID, isComplete: Bool) {
        guard let object, changes[step]?.isToBeCompared(isComplete: isComplete) == true else { return }
        var copies = ValueCopies()
        guard (try? rehearse(step, in: &copies)) != nil, let old: Value = copies[self] else { return }
        if SameValue.isUnchanged(old, object[keyPath: keyPath]) { changes[step] = StepChanges() }
    }

    func rehearse(_ step: UndoStep.ID, in copies: inout ValueCopies) throws(KeyValueUndoError) {
        guard let object, let changes = changes[step] else { return }
        var copy = copies[self] ?? object[keyPath: keyPath]
        if let count = changes.count, let found = elements.count(copy), found != count {
            throw failure(expected: "\(count) elements", found: "\(found)")
        }
        for inverse in changes.inverses { try make(inverse, in: &copy) }
        copies[self] = copy
    }

    /// Applies a change to a copy of the value, and checks that it fits.
    private func make(_ change: KeyValueObservedChange<Value>, in copy: inout Value) throws(KeyValueUndoError) {
        if change.kind == .setting {
            let old = change.requiredOldValue
            guard SameValue.areSame(old, copy) else {
                throw failure(expected: KeyValueUndoError.text(of: old), found: KeyValueUndoError.text(of: copy))
            }
            copy = change.requiredNewValue
        } else {
            if let found = elements.mismatch(change, copy) {
                let expected = change.oldValue.map { KeyValueUndoError.text(of: $0) } ?? "a place for new elements"
                throw failure(expected: expected, found: KeyValueUndoError.text(of: found))
            }
            elements.makeInCopy(change, &copy)
        }
    }

    func failure(
        _ code: KeyValueUndoError.Code = .unexpectedValue, expected: String = TypeName.text(of: Value.self),
        found: String
    ) -> KeyValueUndoError {
        (self as any AnyTrackedProperty).failure(code, expected: expected, found: found)
    }

    func revert(_ step: UndoStep.ID) {
        guard let object, let changes = changes[step] else { return }
        for inverse in changes.inverses {
            if inverse.kind == .setting {
                object[keyPath: keyPath] = inverse.requiredNewValue
            } else {
                elements.make(inverse, object.mutable(keyPath))
            }
        }
    }

    func restore(_ copies: ValueCopies) {
        guard let object, let value: Value = copies[self] else { return }
        if !SameValue.areSame(value, object[keyPath: keyPath]) { object[keyPath: keyPath] = value }
    }

    func carry(from step: UndoStep.ID, beyond copies: ValueCopies, to other: UndoStep) {
        guard let object else { return }
        guard let value: Value = copies[self] else {
            for change in changes[step]?.list ?? [] { other.append(change, of: self) }
            return
        }
        let found = object[keyPath: keyPath]
        if SameValue.areSame(value, found) { return }
        other.append(
            KeyValueObservedChange(kind: .setting, oldValue: value, newValue: found, keyPath: keyPath), of: self)
    }

    func invert(_ step: UndoStep.ID) { changes[step]?.invert { [elements] in elements.count($0) } }
}

/// The values that properties would have.
struct ValueCopies {
    private var values: [ObjectIdentifier: Any] = [:]

    subscript<Object, Value>(property: TrackedProperty<Object, Value>) -> Value? {
        // A missing value differs from nil.
        get { values[ObjectIdentifier(property)].flatMap { $0 as? Value } }
        set { values[ObjectIdentifier(property)] = newValue.map { $0 as Any } }
    }

    /// Sets properties to the values of these copies.
    ///
    /// If code of the model sets other values, they are set again: first after a `didSet`, then after a handler.
    func set(_ properties: [any AnyTrackedProperty], by changes: () -> Void = {}) {
        withKeyValueTransaction {
            changes()
            for _ in 0..<2 { for property in properties { property.restore(self) } }
        }
        withKeyValueTransaction { for property in properties { property.restore(self) } }
    }
}
