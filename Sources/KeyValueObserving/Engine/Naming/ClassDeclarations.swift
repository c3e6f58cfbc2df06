// The declarations of a class about its properties, called once each.

/// A class's declarations about one of its properties.
struct PropertyPolicy {
    /// Whether setting it notifies.
    var isAutomatic = true
    /// Dependencies in addition to those that its getter reads.
    var dependencies: [AnyKeyPath] = []

    /// Whether it can be observed although its getter reads no observable property.
    var isDeclared: Bool { !isAutomatic || !dependencies.isEmpty }
}

/// A class's declarations about its properties, each called once and kept for good.
///
/// The class's functions receive the key path as the observer wrote it; for a stored property, as the declaring class
/// writes it. No lock is held during these calls. Threads that come at the same time may all call them; the first
/// answer is kept. Answers about key paths with arguments are not kept, because there may be any number of them.
final class ClassDeclarations: Sendable {
    // A metatype is a constant.
    nonisolated(unsafe) private let type: any KeyValueObservable.Type
    private let policies = KeyPathCache<PropertyPolicy>()
    private let stored = Guarded<[PropertyIdentity: PropertyDescription]>([:])
    /// The descriptions of properties that notify manually.
    private let manual = KeyPathCache<PropertyDescription>()
    /// The key paths that each thread is currently calling the class's functions for.
    private let asking = Guarded<[(thread: UInt64, keyPath: AnyKeyPath)]>([])
    /// The first property that each getter of the class reads, by key path and by the components of a key path.
    private let firstReads = KeyPathCache<FirstRead?>()
    private let sameFirstReads = Guarded<[ContiguousArray<KeyPathComponents.Component>: FirstRead?]>([:])

    /// The first property of its object that a getter reads, with the property's identity if it is the getter's own.
    typealias FirstRead = (identity: PropertyIdentity?, property: PropertyDescription)

    private static let classes = Guarded<[ObjectIdentifier: ClassDeclarations]>([:])

    private init(_ type: any KeyValueObservable.Type) {
        unsafe self.type = type
    }

    /// The declarations of an object's class.
    static func of(_ object: some KeyValueObservable) -> ClassDeclarations { of(Swift.type(of: object)) }

    /// The declarations of a class.
    static func of(_ type: any KeyValueObservable.Type) -> ClassDeclarations {
        classes.entry(of: type) { ClassDeclarations(type) }
    }

    /// The description of one of the class's stored properties; the same object each time.
    func description(of property: PropertyIdentity, _ describe: () -> PropertyDescription) -> PropertyDescription {
        if let known = stored.withLock({ $0[property] }) { return known }
        let new = describe()
        // The class's functions have not returned yet.
        if asking.withLock({ !$0.isEmpty }) { return new }
        return stored.withLock { stored in
            let known = stored[property] ?? new
            stored[property] = known
            return known
        }
    }

    /// The description of a manual property; the same object each time, unless the key path has arguments.
    func description(ofManual keyPath: AnyKeyPath) -> PropertyDescription {
        manual.fact(
            of: keyPath, { PropertyDescription(keyPath, policy(of: keyPath), isNotOverridden: true) },
            isLasting: { asking.withLock { $0.isEmpty } })
    }

    /// The first property that a getter reads, found once, whichever class of the object writes the key path.
    ///
    /// - Returns: The result of `find`; nil if the key path has arguments, because nothing is kept about these.
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

    /// The class's declarations about a key path.
    ///
    /// While a class's function observes the very property that it was called for, the default declarations apply.
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
