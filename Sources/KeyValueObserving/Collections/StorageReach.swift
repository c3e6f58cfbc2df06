// How a view gets at a property that stores its value.

/// Gets at the storage of an observed property.
@usableFromInline
final class StorageReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    private let property: PropertyIdentity

    /// - Parameters:
    ///   - object: The object.
    ///   - storage: The key path of the storage, whose value has a size.
    @usableFromInline
    init(object: Object, storage: ReferenceWritableKeyPath<Object, Observed<Value>>) {
        self.object = object
        self.storage = storage
        let property = PropertyIdentity(of: object, storage: storage, wrapped: storage.appending(path: \.value))
        self.property = property
        super.init(stored: StoredValue(of: property, in: object))
    }

    private var wrapped: ReferenceWritableKeyPath<Object, Value> { storage.appending(path: \.value) }

    private var storedValue: StoredValue<Value> { StoredValue(of: property, in: object) }

    /// What the property's own accessors do.
    override var value: Value {
        get {
            AccessMark.ofThisThread(for: Value.self).trapIfOfProperty(of: object) { storage }
            if ReadingRecorder.isRecording { ReadingRecorder.report(object, property, viewed: storage) }
            return storedValue.value
        }
        set { Observed[_enclosingInstance: object, wrapped: self.wrapped, storage: self.storage] = newValue }
        _modify { yield &Observed[_enclosingInstance: object, wrapped: self.wrapped, storage: self.storage] }
    }

    @usableFromInline override var current: Value {
        prepareChange()
        return storedValue.value
    }

    @usableFromInline
    override func prepareChange() { ChangePipeline.prepareChange(of: property, of: object) }

    @usableFromInline override var audience: ElementsAudience {
        ChangePipeline.audienceOfElements(of: property, of: object)
    }

    @usableFromInline
    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, _ isAsPlanned: Bool) -> Void
    ) {
        ChangePipeline.change(object, property, storedValue, edit, old: old, apply: apply)
    }
}
