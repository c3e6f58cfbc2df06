// A view's access to a property that several threads change.

/// Uses the storage of an `@ObservedShared` property.
///
/// A call of a view is an access in place. Its reads and changes are thus one step, which excludes other accesses.
struct SharedAccessors<Object: KeyValueObservable, Value>: ViewAccessors {
    let accessors: PropertyAccessors<Object, Value>
    let storage: SharedStorage<Value>
    let identity: PropertyIdentity

    private func property(of view: ViewBacking<Value>) -> SharedProperty<Value> {
        SharedProperty(storage: storage, property: identity, object: view.object, table: view.table)
    }

    /// Uses the property's own accessors; within a call of the view, the value itself.
    subscript(view: ViewBacking<Value>) -> Value {
        get { storage.isInStep ? storage.value : accessors[view] }
        nonmutating set { accessors[view] = newValue }
        nonmutating _modify { yield &accessors[view] }
    }

    func set(_ newValue: Value, in view: ViewBacking<Value>) { accessors.set(newValue, in: view) }

    func current(in view: ViewBacking<Value>) -> Value {
        storage.isInStep ? storage.value : storage.read { view.name }
    }

    func beginStep(in view: ViewBacking<Value>) -> Bool {
        if storage.isInStep { return false }
        view.report(.willChange)
        property(of: view).beginAccess(in: { view.table }, named: { view.name })
        storage.beginStep()
        return true
    }

    func endStep(in view: ViewBacking<Value>) {
        property(of: view).endAccess(changingWhole: false)
        view.report(.didChange)
    }

    func change(
        _ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void, in _: ViewBacking<Value>
    ) {
        storage.change(edit, removing: old(storage.value), apply)
    }
}
