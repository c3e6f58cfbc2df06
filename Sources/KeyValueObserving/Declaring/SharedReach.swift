// How a view gets at a property that several threads change.

/// Gets at the storage of a shared property.
///
/// A call of a view is an access in place: what it reads and what it changes are one step, which excludes others.
final class SharedReach<Object: KeyValueObservable, Value: Sendable>: PropertyReach<Value> {
    private let object: Object
    private let storage: KeyPath<Object, ObservedShared<Value>>
    private let wrapped: ReferenceWritableKeyPath<Object, Value>

    init(
        object: Object, storage: KeyPath<Object, ObservedShared<Value>>,
        of wrapped: ReferenceWritableKeyPath<Object, Value>
    ) {
        self.object = object
        self.storage = storage
        self.wrapped = wrapped
        super.init()
    }

    private var shared: SharedStorage<Value> { object[keyPath: storage].storage }

    override var propertyKeyPath: AnyKeyPath { wrapped }

    override var table: UInt { object.keyValueRegistrar.tableAddress }

    override var name: String { SharedAccess.name(of: storage, in: object) }

    /// What the property's own accessors do, and within a call of the view the value itself.
    override var value: Value {
        get {
            shared.isInStep
                ? shared.value
                : ObservedShared[_enclosingInstance: object, wrapped: self.wrapped, storage: self.storage]
        }
        set { ObservedShared[_enclosingInstance: object, wrapped: self.wrapped, storage: self.storage] = newValue }
        _modify { yield &ObservedShared[_enclosingInstance: object, wrapped: self.wrapped, storage: self.storage] }
    }

    override func set(_ newValue: Value) { object.announcing(wrapped) { value = newValue } }

    override var current: Value { shared.isInStep ? shared.value : shared.read { name } }

    override func beginStep() {
        if shared.enterInnerStep() { return }
        report(.willChange)
        SharedAccess.property(object, storage).beginAccess(
            in: { object.keyValueRegistrar.tableAddress }, at: { wrapped }, named: { name })
        shared.enterFirstStep()
    }

    override func endStep() {
        guard shared.leaveStep() else { return }
        SharedAccess.property(object, storage).endAccess(changingWhole: false)
        report(.didChange)
    }

    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        beginStep()
        defer { endStep() }
        shared.change(edit, removing: old(shared.value), apply)
    }

    private func report(_ access: _PropertyAccess) {
        if Object._reportsPropertyAccesses {
            Object._reportPropertyAccess(access, of: object, at: storage, ObservedShared<Value>.self)
        }
    }
}
