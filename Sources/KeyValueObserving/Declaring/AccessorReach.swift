// How a view gets at a computed property.

/// Gets at a property that has no storage of its own, or keeps something else there than it returns.
final class AccessorReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let keyPath: ReferenceWritableKeyPath<Object, Value>
    /// Whether the property overrides one that several threads change, whose changes cannot be announced.
    private let isShared: Bool

    init(object: Object, keyPath: ReferenceWritableKeyPath<Object, Value>, isShared: Bool = false) {
        self.object = object
        self.keyPath = keyPath
        self.isShared = isShared
    }

    override var value: Value {
        get { object[keyPath: keyPath] }
        set { object[keyPath: keyPath] = newValue }
        _modify { yield &object[keyPath: keyPath] }
    }

    override var name: String { "\(PropertyNames.text(of: keyPath)) of a \(TypeName.of(object))" }

    override func set(_ newValue: Value) { object.announcing(keyPath) { value = newValue } }

    override var current: Value {
        Delivery.completeAll()
        return Tracking.suspended { object[keyPath: keyPath] }
    }

    /// Sets the property once, and announces what changes by that, or changes it in place.
    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        Tracking.suspended {
            if isShared { return apply(&object[keyPath: keyPath]) }
            let before = object[keyPath: keyPath]
            let change = ElementsChange(edit.kind, at: edit.positions)
            let announced = Assignment.will(
                keyPath, of: object, elements: change, old: old(before).map { .holding($0) })
            // A handler that is called before the change may have set the property.
            var after = object[keyPath: keyPath]
            let isAsPlanned = isSame(before, after)
            apply(&after)
            object[keyPath: keyPath] = after
            if let announced {
                // A setter that stores something else has set the whole value.
                let isKept = isAsPlanned && isSame(object[keyPath: keyPath], after)
                if !isKept { announced.old = .holding(before) }
                Assignment.end(
                    announced, of: AnnouncedProperty(object: object, keyPath: keyPath), elements: isKept ? change : nil,
                    new: edit.elements.map { .holding($0) })
            }
            object.reportManualChange(.didChange, at: keyPath)
        }
    }

    private func isSame(_ left: Value, _ right: Value) -> Bool {
        isSameCopy(left, right) || areEqual(left, right) ?? false
    }
}
