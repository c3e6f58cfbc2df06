// Where a class stores a property, found once for the class by reading the property.

/// The storage that the getter of a property reads, for all instances of a class.
@usableFromInline
final class PropertyStorage: @unchecked Sendable {
    // Both capture key paths, which never change.
    /// Reports an access as the accessors of the storage that is read first do.
    ///
    /// Whoever reads the property is tracked there: it is the storage of the property itself, of the one that it
    /// overrides, or of one that it is computed from.
    let report: ((_PropertyAccess, _ object: AnyObject) -> Void)?
    /// How a view gets at the property, a `PropertyReach` of its type; nil if it uses the accessors.
    fileprivate let makeReach: ((_ object: AnyObject) -> AnyObject)?

    fileprivate init(
        report: ((_PropertyAccess, AnyObject) -> Void)? = nil, makeReach: ((AnyObject) -> AnyObject)? = nil
    ) {
        self.report = report
        self.makeReach = makeReach
    }

    /// What the getter of a property of an object reads.
    static func find<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object
    ) -> PropertyStorage {
        let storages = ClassPolicy.of(object).storages
        return storages.fact(of: keyPath) {
            // It may be accessed in place now, and noted as a superclass writes it.
            if let known = storages.fact(where: { KeyPathComponents.areSame($0, keyPath) }) { return known }
            let tracker = StorageTracker(root: object, keyPath: keyPath)
            _ = tracker.tracking { object[keyPath: keyPath] }
            return PropertyStorage(report: tracker.report, makeReach: tracker.makeReach)
        }
    }

    /// How a view gets at a property.
    static func reach<Object: KeyValueObservable, Value>(
        of keyPath: ReferenceWritableKeyPath<Object, Value>, in object: Object
    ) -> PropertyReach<Value> {
        guard let makeReach = find(keyPath, of: object).makeReach else {
            return AccessorReach(object: object, keyPath: keyPath)
        }
        // It was made for this key path, whose value has this type.
        return unsafe unsafeDowncast(makeReach(object), to: PropertyReach<Value>.self)
    }

    /// Notes where a property is stored that is about to be accessed in place, and so cannot be read meanwhile.
    @usableFromInline
    static func note<Object: KeyValueObservable, Value>(
        _ storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        of property: ReferenceWritableKeyPath<Object, Value>, in object: Object
    ) {
        _ = ClassPolicy.of(object).storages.fact(of: property) {
            let tracker = StorageTracker(root: object, keyPath: property)
            tracker.noteStorage(object, wrapped: property, storage: storage)
            return PropertyStorage(report: tracker.report, makeReach: tracker.makeReach)
        }
    }
}

/// Finds the storage that a getter reads, while that runs.
private final class StorageTracker: Tracker, @unchecked Sendable {
    private let root: AnyObject
    private let keyPath: AnyKeyPath
    /// Whether it is known under what the getter is tracked.
    private var isDecided = false
    private(set) var report: ((_PropertyAccess, AnyObject) -> Void)?
    private(set) var makeReach: ((AnyObject) -> AnyObject)?

    init(root: AnyObject, keyPath: AnyKeyPath) {
        self.root = root
        self.keyPath = keyPath
    }

    override var wantsStorage: Bool { true }

    override func note(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {
        // Reads of a manual property are tracked under its own key path.
        if object === root { isDecided = true }
    }

    override func noteStorage<Object: KeyValueObservable, Value>(
        _ object: Object, wrapped: ReferenceWritableKeyPath<Object, Value>,
        storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        guard object === root else { return }
        decide { Object._reportPropertyAccess($0, of: $1, at: storage, Observed<Value>.self) }
        // An override may return something else than is stored. What has no size has no place.
        guard KeyPathComponents.areSame(keyPath, wrapped), MemoryLayout<Value>.size > 0,
            !PropertyOverrides.mayExist(of: wrapped, in: type(of: object), below: Object.self)
        else { return }
        makeReach = {
            // It is an instance of the class for which this was found.
            StorageReach(object: unsafe unsafeDowncast($0, to: Object.self), storage: storage, of: wrapped)
        }
    }

    override func noteStorage<Object: KeyValueObservable, Value>(
        _ object: Object, shared wrapped: ReferenceWritableKeyPath<Object, Value>,
        storage: KeyPath<Object, ObservedShared<Value>>
    ) {
        guard object === root else { return }
        decide { Object._reportPropertyAccess($0, of: $1, at: storage, ObservedShared<Value>.self) }
        guard KeyPathComponents.areSame(keyPath, wrapped) else { return }
        let isOverridden = PropertyOverrides.mayExist(of: wrapped, in: type(of: object), below: Object.self)
        makeReach = {
            let object = unsafe unsafeDowncast($0, to: Object.self)
            return isOverridden
                ? AccessorReach(object: object, keyPath: wrapped, isShared: true)
                : SharedReach(object: object, storage: storage, of: wrapped)
        }
    }

    private func decide(_ report: @escaping (_PropertyAccess, AnyObject) -> Void) {
        if !isDecided { self.report = report }
        isDecided = true
    }
}
