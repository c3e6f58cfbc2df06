// How a view gets at a property that stores its value.

/// Gets at the storage of an observed property.
@usableFromInline
final class StorageReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    private let place: StoragePlace<Value>
    private let wrapped: ReferenceWritableKeyPath<Object, Value>

    /// - Parameters:
    ///   - object: The object.
    ///   - storage: The key path of the storage, whose value has a size.
    ///   - wrapped: The key path of the property.
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
        super.init(stored: (place, object))
    }

    /// How a view gets at a property, whose accesses may have to be reported.
    static func of(
        _ object: Object, _ storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        of wrapped: ReferenceWritableKeyPath<Object, Value>
    ) -> PropertyReach<Value> {
        Object._reportsPropertyAccesses
            ? ReportingReach(object: object, storage: storage, of: wrapped)
            : StorageReach(object: object, storage: storage, of: wrapped)
    }

    @usableFromInline override var propertyKeyPath: AnyKeyPath { wrapped }

    /// What the property's own accessors do.
    override var value: Value {
        get {
            if ThisThread.isTracking {
                Tracker.report(object, wrapped: { wrapped }, storage: { storage }, making: { .of(Value.self) })
            }
            return place.read()
        }
        set { Observed[_enclosingInstance: object, wrapped: self.wrapped, storage: self.storage] = newValue }
        _modify { yield &Observed[_enclosingInstance: object, wrapped: self.wrapped, storage: self.storage] }
    }

    @usableFromInline override var current: Value {
        Assignment.prepare(place.property, in: table)
        return place.read()
    }

    override var name: String {
        let property = PropertyNames.name(ofStorage: storage) ?? PropertyNames.text(of: wrapped)
        return "\(property) of a \(TypeName.of(object))"
    }

    @usableFromInline override var table: UInt { object.keyValueRegistrar.tableAddress }
}
