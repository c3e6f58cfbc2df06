// Finding out what a key path names, by reading it once.

/// What one reading of a key path says about it.
final class PlaceRecorder: ReadingRecorder {
    private let root: AnyObject
    private let keyPath: AnyKeyPath
    private var first: (object: AnyObject, property: PropertyIdentity)?
    private(set) var plain: (property: PropertyIdentity, facts: PropertyFacts, keyPath: AnyKeyPath)?
    /// What the class says about the property that the key path names, if it names one.
    private(set) var facts: PropertyFacts?

    /// Whether an observed property was read at all.
    var readsAnything: Bool { first != nil }

    init(root: AnyObject, keyPath: AnyKeyPath) {
        self.root = root
        self.keyPath = keyPath
    }

    /// Notes whether the key path is one of the root's own properties: it names that, and nothing else is read.
    ///
    /// An instance of a subclass may have an override, which may read more another time: its properties are paths.
    override func note<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, _ type: Any.Type,
        _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) {
        if let first {
            if first.object !== object || first.property != property { plain = nil }
            return
        }
        first = (object, property)
        guard object === root, let wrapped = keyPaths().wrapped, KeyPathComponents.areSame(keyPath, wrapped) else {
            return
        }
        let facts = object.keyValueRegistrar.table().facts(of: property, on: object, keyPaths)
        self.facts = facts
        guard Swift.type(of: object) == Object.self, facts.declaredDependencies.isEmpty else { return }
        plain = (property, facts, wrapped)
    }
}
