// What one step changes in one property.
import KeyValueObserving

/// The changes of one property in a step, before its type is known.
protocol AnyStepPart: AnyObject {
    associatedtype Property: AnyTrackedProperty

    var property: Property { get }
    /// Checks that the changes can be taken back.
    func checkReversal() throws(KeyValueUndoError)
    func revert()
    func repeatChanges()
    /// Makes the changes in the copies, and checks that they fit.
    func rehearse(in copies: inout ValueCopies) throws(KeyValueUndoError)
    func encode(to encoder: any Encoder) throws
}

/// The changes of one property in a step.
final class StepPart<Object: KeyValueObservable, Value>: AnyStepPart {
    let property: TrackedProperty<Object, Value>
    private(set) var changes: [KeyValueObservedChange<Value>]
    /// How many elements there were after the last change, if that is a change of elements in order.
    private(set) var count: Int?

    init(_ property: TrackedProperty<Object, Value>, _ changes: [KeyValueObservedChange<Value>] = [], count: Int? = nil)
    {
        self.property = property
        self.changes = changes
        self.count = count
    }

    /// Adds a change; consecutive settings are one.
    func append(_ change: KeyValueObservedChange<Value>) {
        count = nil
        if change.kind != .setting, let object = property.object {
            count = property.elements.count(object[keyPath: property.keyPath])
        }
        if change.kind == .setting, let last = changes.last, last.kind == .setting {
            changes[changes.count - 1] = KeyValueObservedChange(
                kind: .setting, newValue: change.newValue, oldValue: last.oldValue, keyPath: change.keyPath)
        } else {
            changes.append(change)
        }
    }

    func checkReversal() throws(KeyValueUndoError) {
        guard let object = property.object else { return }
        var copy = object[keyPath: property.keyPath]
        if let count, let found = property.elements.count(copy), found != count {
            throw property.error(expected: "\(count) elements", found: "\(found)")
        }
        for inverse in inverses { try property.make(inverse, in: &copy) }
    }

    func revert() {
        for inverse in inverses { property.make(inverse) }
    }

    func repeatChanges() {
        for change in changes { property.make(change) }
    }

    func rehearse(in copies: inout ValueCopies) throws(KeyValueUndoError) {
        guard let object = property.object else { return }
        // A missing value is not one that is nil.
        let known = copies.values[ObjectIdentifier(property)].flatMap { $0 as? Value }
        var copy = known ?? object[keyPath: property.keyPath]
        if let expected = countBefore, let found = property.elements.count(copy), found != expected {
            throw property.error(expected: "\(expected) elements", found: "\(found)")
        }
        for change in changes { try property.make(change, in: &copy) }
        copies.values[ObjectIdentifier(property)] = copy
    }

    /// How many elements there were before the first change, if all of them are changes of elements.
    private var countBefore: Int? {
        guard var count, !changes.contains(where: { $0.kind == .setting }) else { return nil }
        for change in changes {
            switch change.kind {
            case .insertion: count -= change.newValue.flatMap { property.elements.count($0) } ?? 0
            case .removal: count += change.oldValue.flatMap { property.elements.count($0) } ?? 0
            case .setting, .replacement: break
            }
        }
        return count
    }

    /// The inverse changes, in the order in which they are made.
    private var inverses: some Sequence<KeyValueObservedChange<Value>> { changes.lazy.reversed().compactMap(\.inverse) }
}

/// What properties would have as values, by the property.
struct ValueCopies {
    var values: [ObjectIdentifier: Any] = [:]
}
