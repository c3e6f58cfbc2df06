// Finding where the value of a property is stored, by reading it once.

/// Finds the storage of the observed property that a key path names.
final class StorageRecorder<Value>: ReadingRecorder {
    private let root: AnyObject
    private let keyPath: AnyKeyPath
    /// Leads to the storage, if the key path names an observed property.
    private(set) var reach: PropertyReach<Value>?

    init(root: AnyObject, keyPath: AnyKeyPath) {
        self.root = root
        self.keyPath = keyPath
    }

    override func note<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, _ type: Any.Type,
        _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) {
        let (wrapped, storage) = keyPaths()
        guard object === root, let wrapped, KeyPathComponents.areSame(keyPath, wrapped),
            let storage = storage as? ReferenceWritableKeyPath<Object, Observed<Value>>
        else { return }
        reach = StorageReach(object: object, storage: storage)
    }
}
