// A property whose changes are recorded, and what each step changed in it.
import KeyValueObserving

/// A tracked property, before its type is known.
protocol AnyTrackedProperty: AnyObject {
    /// The object that has it.
    var owner: TrackedObject { get }
    /// What it is called, as the class writes it.
    var key: String { get }
    /// Within which time its changes are one step.
    var coalescing: Duration? { get set }
    /// Whether its changes are recorded; not while its object is in none of the collections that it is tracked for.
    var isObserved: Bool { get set }
    /// Records its changes from here on.
    func observe(
        by manager: KeyValueUndoManager, _ isolation: isolated (any Actor)?, _ fileID: StaticString, _ line: UInt)
    /// Whether a step changes it.
    func isChanged(in step: UndoStep.ID) -> Bool
    /// Forgets what a step changes in it, or what all steps do.
    func forget(_ step: UndoStep.ID?)
    /// Forgets what a step changes in it if its value is the one that it had before.
    func dropIfVoid(in step: UndoStep.ID, isComplete: Bool)
    /// Takes back in the copies what a step changed, and checks that it fits.
    func rehearse(_ step: UndoStep.ID, in copies: inout ValueCopies) throws(KeyValueUndoError)
    /// Takes back what a step changed.
    func revert(_ step: UndoStep.ID)
    /// Sets the property if it has another value than its copy.
    func restore(_ copies: ValueCopies)
    /// Adds to a step what another one changed beyond leading to the copies.
    func carry(from step: UndoStep.ID, beyond copies: ValueCopies, to other: UndoStep)
    /// Makes what a step changes the inverse of it.
    func invert(_ step: UndoStep.ID)
    /// Has its elements, which are objects, saved by name, as a `NamedElements` says.
    func nameElements(by naming: Any)
    /// The objects with names that steps put in or take out.
    func elements(in steps: [UndoStep]) -> [AnyObject]
    /// Those that it has in copies, or else now.
    func elements(in copies: ValueCopies) -> [AnyObject]
    /// The properties of one of them that are tracked because it is there.
    func properties(of element: AnyObject, in manager: KeyValueUndoManager) -> [any AnyTrackedProperty]
    /// What is saved of an element, so that it can be made; nil if it is found by its name.
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
/// It holds what the steps changed in it, so that all of this ends with the tracking.
final class TrackedProperty<Object: KeyValueObservable, Value>: AnyTrackedProperty {
    let owner: TrackedObject
    let keyPath: ReferenceWritableKeyPath<Object, Value>
    var coalescing: Duration?
    var isObserved = false
    var changes: [UndoStep.ID: StepChanges<Value>] = [:]
    let elements = ElementChanges<Value>.find()
    /// How its elements are saved, if they are objects with names.
    private(set) var naming: NamedElements<Value>?
    /// Where it was tracked first, which tells apart what has no name.
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
        // A property that has been read has a name: that of a saved step may come before its object is observed.
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

    /// Makes a change in a copy of the value, and checks that it fits.
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

/// What properties would have as values.
struct ValueCopies {
    private var values: [ObjectIdentifier: Any] = [:]

    subscript<Object, Value>(property: TrackedProperty<Object, Value>) -> Value? {
        // A missing value is not one that is nil.
        get { values[ObjectIdentifier(property)].flatMap { $0 as? Value } }
        set { values[ObjectIdentifier(property)] = newValue.map { $0 as Any } }
    }

    /// Sets properties to the values that they have here.
    ///
    /// What code of the model sets otherwise is set again: first by a `didSet`, then by a handler.
    func set(_ properties: [any AnyTrackedProperty], by changes: () -> Void = {}) {
        withKeyValueTransaction {
            changes()
            for _ in 0..<2 { for property in properties { property.restore(self) } }
        }
        withKeyValueTransaction { for property in properties { property.restore(self) } }
    }
}
