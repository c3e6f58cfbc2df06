// How a view gets at a property that stores its value.

/// Gets at the storage of an observed property.
@usableFromInline
final class StorageReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    private let place: StoragePlace<Value>
    private let wrapped: ReferenceWritableKeyPath<Object, Value>

    @usableFromInline
    init(
        object: Object, storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        of wrapped: ReferenceWritableKeyPath<Object, Value>
    ) {
        self.object = object
        self.wrapped = wrapped
        self.storage = storage
        place = StoragePlace(
            of: PropertyIdentity.ofRead(object, storage: storage, wrapped: { wrapped }),
            in: object)
        // Where accesses are reported, `change` does that.
        super.init(stored: Object._reportsPropertyAccesses ? nil : (place, object))
    }

    @usableFromInline override var propertyKeyPath: AnyKeyPath { wrapped }

    /// What the property's own accessors do.
    override var value: Value {
        get {
            report(.read)
            if ThisThread.isTracking {
                Tracker.report(
                    object, wrapped: { wrapped }, storage: { storage }, wrapping: { ChangeValues.wrapping(Value.self) })
            }
            return place.read()
        }
        set { Observed[_enclosingInstance: object, wrapped: self.wrapped, storage: self.storage] = newValue }
        _modify { yield &Observed[_enclosingInstance: object, wrapped: self.wrapped, storage: self.storage] }
    }

    override func set(_ newValue: Value) { object.announcing(wrapped) { value = newValue } }

    @usableFromInline override var current: Value {
        Assignment.prepare(place.property, in: table)
        return place.read()
    }

    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        report(.willChange)
        Assignment.change(
            at: place, of: object, in: table, named: { propertyKeyPath }, edit, old: old, apply: apply)
        report(.didChange)
    }

    private func report(_ access: _PropertyAccess) {
        if Object._reportsPropertyAccesses {
            Object._reportPropertyAccess(access, of: object, at: storage, Observed<Value>.self)
        }
    }

    override var name: String {
        let property = PropertyNames.name(ofStorage: storage) ?? PropertyNames.text(of: wrapped)
        return "\(property) of a \(TypeName.of(object))"
    }

    @usableFromInline override var table: UInt { object.keyValueRegistrar.tableAddress }
}
