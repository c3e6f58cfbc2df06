// How a view gets at a computed property.

/// Gets at a property that has no storage of its own, or keeps something else there than it returns.
final class AccessorReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let keyPath: ReferenceWritableKeyPath<Object, Value>
    private let isAutomatic: Bool

    init(object: Object, keyPath: ReferenceWritableKeyPath<Object, Value>) {
        self.object = object
        self.keyPath = keyPath
        isAutomatic = ClassFacts.of(object).facts(of: keyPath).isAutomatic
    }

    override var value: Value {
        get { object[keyPath: keyPath] }
        set { object[keyPath: keyPath] = newValue }
        _modify { yield &object[keyPath: keyPath] }
    }

    override var current: Value {
        ChangePipeline.prepareChange(of: nil, of: object)
        return ReadingRecorder.suspended { object[keyPath: keyPath] }
    }

    /// Sets the property once, and announces what changes by that.
    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, _ isAsPlanned: Bool) -> Void
    ) {
        ReadingRecorder.suspended {
            let before = object[keyPath: keyPath]
            let table = isAutomatic ? object.keyValueRegistrar.existingTable : nil
            if let table {
                let elements = OpenChange.ElementsByHand(
                    kind: edit.kind, indexes: edit.positions?.indexes, old: old(before), isEmpty: false
                ) { _ in edit.elements }
                OpenChange.begin(byHand: keyPath, of: object, in: table) { _ in elements }
            }
            // A prior handler may have set the property.
            var after = object[keyPath: keyPath]
            let isAsPlanned = isSame(before, after)
            apply(&after, isAsPlanned)
            object[keyPath: keyPath] = after
            guard let table else { return }
            // A setter that keeps something else has set the whole value.
            let isKept = isAsPlanned && isSame(object[keyPath: keyPath], after)
            OpenChange.end(byHand: keyPath, of: object, in: table, wholeOld: isKept ? nil : before)
        }
    }

    private func isSame(_ left: Value, _ right: Value) -> Bool {
        func isEqual<Left: Equatable>(_ left: Left) -> Bool { (right as? Left).map { left == $0 } ?? false }
        return isSameCopy(left, right) || ((left as? any Equatable).map { isEqual($0) } ?? false)
    }
}
