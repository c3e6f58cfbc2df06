// How a view gets at a computed property.

/// Gets at a property that has no storage of its own, or keeps something else there than it returns.
final class AccessorReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let keyPath: ReferenceWritableKeyPath<Object, Value>
    private let manner: Manner

    /// How a change is made.
    private enum Manner {
        case announced
        /// The class announces the changes of the property itself.
        case unannounced
        /// As a setting of the whole. What several threads change cannot be announced.
        case inPlace
    }

    /// `isShared` says whether the property overrides one that several threads change.
    init(object: Object, keyPath: ReferenceWritableKeyPath<Object, Value>, isShared: Bool = false) {
        self.object = object
        self.keyPath = keyPath
        let isAutomatic = ClassPolicy.of(object).policy(of: keyPath).isAutomatic
        manner = isShared ? .inPlace : isAutomatic ? .announced : .unannounced
    }

    override var value: Value {
        get { object[keyPath: keyPath] }
        set { object[keyPath: keyPath] = newValue }
        _modify { yield &object[keyPath: keyPath] }
    }

    override var name: String { "\(PropertyNames.text(of: keyPath)) of a \(TypeName.of(object))" }

    override var current: Value {
        Delivery.completeAll()
        return Tracking.suspended { object[keyPath: keyPath] }
    }

    /// Sets the property once, and announces what changes by that, or changes it in place.
    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, ElementsEdit<Value>.Mode) -> Void
    ) {
        Tracking.suspended {
            if manner == .inPlace { return apply(&object[keyPath: keyPath], .wherePossible) }
            let before = object[keyPath: keyPath]
            if manner == .announced {
                let elements = ManualChange.Elements(
                    kind: edit.kind, positions: edit.positions, old: old(before), isEmpty: false
                ) { (_: Value) in edit.elements }
                Assignment.will(keyPath, of: object) { _ in elements }
            }
            // A handler that is called before the change may have set the property.
            var after = object[keyPath: keyPath]
            let isAsPlanned = isSame(before, after)
            apply(&after, isAsPlanned ? .asPlanned : .wherePossible)
            object[keyPath: keyPath] = after
            guard manner == .announced else { return }
            // A setter that stores something else has set the whole value.
            let isKept = isAsPlanned && isSame(object[keyPath: keyPath], after)
            Assignment.did(keyPath, of: object, wholeOld: isKept ? nil : .holding(before))
        }
    }

    private func isSame(_ left: Value, _ right: Value) -> Bool {
        isSameCopy(left, right) || areEqual(left, right) ?? false
    }
}
