// How a view gets at a property that stores its value.

/// Gets at the storage of an observed property.
final class StorageReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    private let access: StorageAccess<Object, Value>
    private let property: PropertyIdentity

    init(
        object: Object, storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        access: StorageAccess<Object, Value>
    ) {
        self.object = object
        self.storage = storage
        self.access = access
        property = PropertyIdentity(of: object, storage: storage, wrapped: storage.appending(path: \.value))
    }

    private var stored: ReferenceWritableKeyPath<Object, Value> { storage.appending(path: \.value) }

    /// What the property's own accessors do.
    override var value: Value {
        get {
            if ReadingRecorder.isRecording { ReadingRecorder.report(object, property, viewed: storage) }
            return access.read(object)
        }
        set { Observed[_enclosingInstance: object, wrapped: stored, storage: storage] = newValue }
        _modify { yield &Observed[_enclosingInstance: object, wrapped: stored, storage: storage] }
    }

    override var current: Value {
        ChangePipeline.prepareChange(of: property, of: object)
        return access.read(object)
    }

    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, _ isAsPlanned: Bool) -> Void
    ) {
        ChangePipeline.change(object, property, access, edit, old: old, apply: apply)
    }
}
