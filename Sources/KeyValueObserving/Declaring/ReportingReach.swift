// How a view gets at a property whose accesses are reported to another system of observation.

/// Gets at a property whose accesses are reported.
final class ReportingReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    private let reach: StorageReach<Object, Value>

    init(
        object: Object, storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        of wrapped: ReferenceWritableKeyPath<Object, Value>
    ) {
        self.object = object
        self.storage = storage
        reach = StorageReach(object: object, storage: storage, of: wrapped)
        super.init()
    }

    // Its own accessors report.
    override var value: Value {
        get {
            Object._reportPropertyAccess(.read, of: object, at: storage, Observed<Value>.self)
            return reach.value
        }
        set { reach.value = newValue }
        _modify { yield &reach.value }
    }

    override var current: Value { reach.current }

    override var name: String { reach.name }

    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, ElementsEdit<Value>.Mode) -> Void
    ) {
        Object._reportPropertyAccess(.willChange, of: object, at: storage, Observed<Value>.self)
        reach.makeChange(edit, old: old, apply: apply)
        Object._reportPropertyAccess(.didChange, of: object, at: storage, Observed<Value>.self)
    }
}
