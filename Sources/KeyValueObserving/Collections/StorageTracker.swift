// Finding where the value of a property is stored, by reading it once.

/// Finds the storage of the observed property that a key path names.
final class StorageTracker<Value>: Tracker {
    private let root: AnyObject
    private let keyPath: AnyKeyPath
    /// Leads to the storage, if the key path names an observed property.
    private(set) var reach: PropertyReach<Value>?

    init(root: AnyObject, keyPath: AnyKeyPath) {
        self.root = root
        self.keyPath = keyPath
    }

    override var wantsStorage: Bool { true }

    override func note(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {}

    override func noteStorage<Object: KeyValueObservable, Stored>(
        _ object: Object, wrapped: ReferenceWritableKeyPath<Object, Stored>,
        storage: ReferenceWritableKeyPath<Object, Observed<Stored>>
    ) {
        // An override may return something else than is stored.
        guard object === root, type(of: object) == Object.self, KeyPathComponents.areSame(keyPath, wrapped),
            let storage = (storage as AnyKeyPath) as? ReferenceWritableKeyPath<Object, Observed<Value>>
        else { return }
        reach = StorageReach(object: object, storage: storage)
    }
}
