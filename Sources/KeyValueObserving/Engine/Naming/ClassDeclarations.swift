// What a class says about its properties, asked once.

/// What a class says about one of its properties.
struct PropertyPolicy {
    /// Whether setting it notifies.
    var isAutomatic = true
    /// What affects it beside what its getter reads.
    var dependencies: [AnyKeyPath] = []

    /// Whether it can be observed although reading it touches nothing that is observable.
    var isDeclared: Bool { !isAutomatic || !dependencies.isEmpty }
}

/// What a class says about its properties: asked once for each and kept for good.
///
/// It is asked with the key path as the observer wrote it; of a stored property, as the class writes it that declares it.
/// No lock is held while it is asked. Threads that come at the same time may all ask; the first answer is kept. What it
/// says of key paths with arguments is not kept, because there may be any number of them.
final class ClassDeclarations: Sendable {
    // A metatype is a constant.
    nonisolated(unsafe) private let type: any KeyValueObservable.Type
    private let policies = KeyPathCache<PropertyPolicy>()
    private let stored = Guarded<[PropertyIdentity: PropertyDescription]>([:])
    /// What is known of properties that notify manually.
    private let manual = KeyPathCache<PropertyDescription>()
    /// Which key paths each thread is asking about.
    private let asking = Guarded<[(thread: UInt64, keyPath: AnyKeyPath)]>([])
    /// What the getters of the class read first, and the same by what a key path leads through.
    private let firstReads = KeyPathCache<FirstRead?>()
    private let sameFirstReads = Guarded<[ContiguousArray<KeyPathComponents.Component>: FirstRead?]>([:])

    /// What a getter reads first of its object, with the identity of the property if it is the getter's own.
    typealias FirstRead = (identity: PropertyIdentity?, property: PropertyDescription)

    private static let classes = Guarded<[ObjectIdentifier: ClassDeclarations]>([:])

    private init(_ type: any KeyValueObservable.Type) {
        unsafe self.type = type
    }

    /// What the class of `object` says.
    static func of(_ object: some KeyValueObservable) -> ClassDeclarations { of(Swift.type(of: object)) }

    /// What a class says.
    static func of(_ type: any KeyValueObservable.Type) -> ClassDeclarations {
        classes.entry(of: type) { ClassDeclarations(type) }
    }

    /// Describes one of the class's stored properties; the same description each time.
    func description(of property: PropertyIdentity, _ describe: () -> PropertyDescription) -> PropertyDescription {
        if let known = stored.withLock({ $0[property] }) { return known }
        let new = describe()
        // A class that is being asked about it has not given its answer.
        if asking.withLock({ !$0.isEmpty }) { return new }
        return stored.withLock { stored in
            let known = stored[property] ?? new
            stored[property] = known
            return known
        }
    }

    /// Describes a property that notifies manually; the same description each time, unless the key path has arguments.
    func description(ofManual keyPath: AnyKeyPath) -> PropertyDescription {
        manual.fact(
            of: keyPath, { PropertyDescription(keyPath, policy(of: keyPath), isNotOverridden: true) },
            isLasting: { asking.withLock { $0.isEmpty } })
    }

    /// What the getter of a property reads first, found once, whichever class of the object writes the key path.
    ///
    /// - Returns: What `find` returns; nil if the key path has arguments, about which nothing is kept.
    func firstRead(of keyPath: AnyKeyPath, _ find: () -> FirstRead?) -> FirstRead? {
        firstReads.fact(of: keyPath) {
            guard let components = KeyPathComponents(keyPath) else { return find() }
            if components.hasArguments { return nil }
            if let known = sameFirstReads.withLock({ $0[components.components] }) { return known }
            let new = find()
            sameFirstReads.withLock { known in
                if known.count < KeyPathCache<FirstRead?>.mostNames { known[components.components] = .some(new) }
            }
            return new
        }
    }

    /// What the class says about a key path.
    ///
    /// A class that observes the very property it is being asked about gets what all properties have by default.
    func policy(of keyPath: AnyKeyPath) -> PropertyPolicy {
        let thread = ThisThread.number
        var isAsking = false
        return policies.fact(of: keyPath) {
            let known = asking.withLock { $0 }
            isAsking = known.contains { $0.thread == thread && $0.keyPath === keyPath }
            if isAsking { return PropertyPolicy() }
            asking.withLock { $0.append((thread, keyPath)) }
            defer {
                asking.withLock { asking in
                    if let index = asking.lastIndex(where: { $0.thread == thread }) { asking.remove(at: index) }
                }
            }
            let type = unsafe self.type
            return Tracking.suspended {
                PropertyPolicy(
                    isAutomatic: type.automaticallyNotifiesObservers(for: keyPath),
                    dependencies: Array(type.keyPathsAffectingValue(for: keyPath)))
            }
        } isLasting: {
            !isAsking
        }
    }
}
