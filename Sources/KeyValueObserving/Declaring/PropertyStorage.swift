// Where a class stores a property, found once for the class by reading the property.

/// Where a class stores the property that a key path names, for all of the class's instances.
final class PropertyStorage<Value>: @unchecked Sendable {
    /// How a view gets at the property of an instance of the class; it captures key paths, which never change.
    let reach: (_ object: AnyObject) -> PropertyReach<Value>

    fileprivate init(reach: @escaping (AnyObject) -> PropertyReach<Value>) {
        self.reach = reach
    }

    /// Where the class of an object stores a property.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - object: The object.
    /// - Returns: Where; nil if the property has no storage of its own, or if a subclass may override it.
    static func find<Object: KeyValueObservable>(
        _ keyPath: KeyPath<Object, Value>, of object: Object
    ) -> PropertyStorage? {
        let found = ClassPolicy.of(object).storages.fact(of: keyPath) {
            let tracker = StorageTracker<Value>(root: object, keyPath: keyPath)
            _ = tracker.tracking { object[keyPath: keyPath] }
            return tracker.storage
        }
        // It was found for this key path, whose value has this type.
        return found.map { unsafe unsafeDowncast($0, to: PropertyStorage.self) }
    }
}

/// Finds the storage of the observed property that a key path names, while that is read.
private final class StorageTracker<Value>: Tracker, @unchecked Sendable {
    private let root: AnyObject
    private let keyPath: AnyKeyPath
    private(set) var storage: PropertyStorage<Value>?

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
        // An override may return something else than is stored. What has no size has no place.
        guard object === root, !PropertyOverrides.mayExist(of: wrapped, in: type(of: object), below: Object.self),
            KeyPathComponents.areSame(keyPath, wrapped), MemoryLayout<Stored>.size > 0,
            let storage = (storage as AnyKeyPath) as? ReferenceWritableKeyPath<Object, Observed<Value>>,
            let property = (wrapped as AnyKeyPath) as? ReferenceWritableKeyPath<Object, Value>
        else { return }
        self.storage = PropertyStorage { object in
            // It is an instance of the class for which this was found.
            StorageReach(object: unsafe unsafeDowncast(object, to: Object.self), storage: storage, of: property)
        }
    }

    override func noteStorage<Object: KeyValueObservable, Stored>(
        _ object: Object, shared wrapped: ReferenceWritableKeyPath<Object, Stored>,
        storage: ReferenceWritableKeyPath<Object, ObservedShared<Stored>>
    ) {
        guard object === root, KeyPathComponents.areSame(keyPath, wrapped) else { return }
        // An override may return something else than is stored.
        let isOverridden = PropertyOverrides.mayExist(of: wrapped, in: type(of: object), below: Object.self)
        let found = PropertyStorage<Stored> { object in
            // The same.
            let object = unsafe unsafeDowncast(object, to: Object.self)
            return isOverridden
                ? AccessorReach(object: object, keyPath: wrapped, isShared: true)
                : SharedReach(object: object, storage: storage, of: wrapped)
        }
        self.storage = found as? PropertyStorage<Value>
    }
}
