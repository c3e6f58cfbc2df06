// How a view gets at a property that stores its value.

/// Gets at the storage of an observed property.
@usableFromInline
final class StorageReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    private let place: StoragePlace<Value>
    private let property: ReferenceWritableKeyPath<Object, Value>?

    /// - Parameters:
    ///   - object: The object.
    ///   - storage: The key path of the storage, whose value has a size.
    ///   - property: The key path of the property, if it is known.
    @usableFromInline
    init(
        object: Object, storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        property: ReferenceWritableKeyPath<Object, Value>?
    ) {
        self.object = object
        self.property = property
        self.storage = storage
        place = StoragePlace(
            of: PropertyIdentity.ofRead(object, storage: storage, wrapped: { storage.appending(path: \.value) }),
            in: object)
        super.init(stored: (place, object))
    }

    /// How a view gets at a property, whose accesses may have to be reported.
    static func of(
        _ object: Object, _ storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        of property: ReferenceWritableKeyPath<Object, Value>? = nil
    ) -> PropertyReach<Value> {
        Object._reportsPropertyAccesses
            ? ReportingReach(object: object, storage: storage, property: property)
            : StorageReach(object: object, storage: storage, property: property)
    }

    private var wrapped: ReferenceWritableKeyPath<Object, Value> { property ?? storage.appending(path: \.value) }

    @usableFromInline override var propertyKeyPath: AnyKeyPath { wrapped }

    /// What the property's own accessors do.
    override var value: Value {
        get {
            if ThisThread.isTracking { Tracker.report(object, place.property, viewed: storage) }
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
