// How a view gets at a property that several threads change.

/// Uses the storage of an `@ObservedShared` property.
///
/// A call of a view is an access in place: what it reads and what it changes are one step, which excludes others.
final class SharedBacking<Object: KeyValueObservable, Value>: PropertyBacking<Object, Value> {
    private let storage: SharedStorage<Value>
    private let identity: PropertyIdentity

    init(
        _ owner: Object, _ accessors: ReferenceWritableKeyPath<Object, Value>, declared: AnyKeyPath,
        storage: SharedStorage<Value>, identity: PropertyIdentity
    ) {
        self.storage = storage
        self.identity = identity
        super.init(owner, accessors, declared: declared)
    }

    private var property: SharedProperty<Value> {
        SharedProperty(storage: storage, property: identity, object: object, table: table)
    }

    /// What the property's own accessors do, and within a call of the view the value itself.
    override var value: Value {
        get { storage.isInStep ? storage.value : super.value }
        set { super.value = newValue }
        _modify { yield &super.value }
    }

    override var current: Value { storage.isInStep ? storage.value : storage.read { name } }

    override func beginStep() -> Bool {
        if storage.isInStep { return false }
        report(.willChange)
        property.beginAccess(in: { table }, named: { name })
        storage.beginStep()
        return true
    }

    override func endStep() {
        property.endAccess(changingWhole: false)
        report(.didChange)
    }

    override func change(_ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void) {
        storage.change(edit, removing: old(storage.value), apply)
    }
}
