// Where what reads a property is tracked by another system of observation, so that a manual change reaches it.

/// The storage of an observed property, under whose key path accesses are reported.
@usableFromInline
class ReportedStorage: @unchecked Sendable {
    fileprivate init() {}

    /// Reports an access, as the accessors of the property do.
    func report(_ access: _PropertyAccess, of object: AnyObject) { preconditionFailure("a subclass knows the types") }

    /// The storage under whose key path a manual change of a property is reported.
    ///
    /// Whoever reads the property is tracked where its getter reads. So it is the storage that the getter reads first:
    /// that of the property itself, of the one that it overrides, or of one that it is computed from. It is found once
    /// for a class, by reading the property, unless an access in place to the property was noted.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - object: The object.
    /// - Returns: The storage; nil if the getter reads none of the object's, or first reports itself as manual.
    static func find<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object
    ) -> ReportedStorage? {
        let policy = ClassPolicy.of(object)
        return policy.reportedStorages.fact(of: keyPath) {
            let accessed = policy.accessedStorages.withLock { $0 }
            if let known = accessed.first(where: { KeyPathComponents.areSame($0.property, keyPath) }) {
                return known.storage
            }
            let tracker = FirstReadTracker(root: object)
            _ = tracker.tracking { object[keyPath: keyPath] }
            return tracker.storage
        }
    }

    /// Notes where a property is stored that is about to be accessed in place, and so cannot be read meanwhile.
    @usableFromInline
    static func note<Object: KeyValueObservable, Value>(
        _ storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        of property: ReferenceWritableKeyPath<Object, Value>, in object: Object
    ) {
        let policy = ClassPolicy.of(object)
        _ = policy.reportedStorages.fact(of: property) {
            let found = TypedReportedStorage(storage)
            policy.accessedStorages.withLock { $0.append((property, found)) }
            return found
        }
    }
}

/// The same for a class that is known.
private final class TypedReportedStorage<Object: KeyValueObservable, Stored>: ReportedStorage, @unchecked Sendable {
    // A key path never changes.
    private let storage: ReferenceWritableKeyPath<Object, Stored>

    init(_ storage: ReferenceWritableKeyPath<Object, Stored>) {
        self.storage = storage
        super.init()
    }

    override func report(_ access: _PropertyAccess, of object: AnyObject) {
        Object._reportPropertyAccess(access, of: object, at: storage, Stored.self)
    }
}

/// Finds the storage that a getter reads first.
private final class FirstReadTracker: Tracker, @unchecked Sendable {
    private let root: AnyObject
    private var isDecided = false
    private(set) var storage: ReportedStorage?

    init(root: AnyObject) {
        self.root = root
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
        guard object === root, !isDecided else { return }
        isDecided = true
        self.storage = TypedReportedStorage(storage)
    }

    override func noteStorage<Object: KeyValueObservable, Value>(
        _ object: Object, shared wrapped: ReferenceWritableKeyPath<Object, Value>,
        storage: ReferenceWritableKeyPath<Object, ObservedShared<Value>>
    ) {
        guard object === root, !isDecided else { return }
        isDecided = true
        self.storage = TypedReportedStorage(storage)
    }
}
