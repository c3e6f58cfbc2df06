// Everything that is registered on one object.
public import Synchronization

/// The registrations of one object, and the paths of other objects that lead through it.
///
/// It is made when the object is first observed and belongs to the object. Its state is a value, and this is the one
/// type that locks it: a transition is made under the lock, and what it asks for is done after.
@usableFromInline
final class ObservationTable: @unchecked Sendable {
    /// The bits of the properties that somebody observes: the first thing a change looks at.
    @usableFromInline let observedProperties = Atomic<UInt64>(0)
    private let ended = Atomic(false)
    private let lock = Lock()
    // The lock makes accesses exclusive.
    @exclusivity(unchecked) private var state = ObservationTableState()

    init() {}

    /// Whether the object is gone.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    // MARK: Changes

    /// Whether somebody may observe `property`: false is certain, true is to be looked up.
    @inlinable
    func mayObserve(_ property: PropertyIdentity) -> Bool {
        observedProperties.load(ordering: .relaxed) & property.bit != 0
    }

    /// Who is to be told of a change of `property` that is about to be made; nil if nobody is.
    func audience(of property: PropertyIdentity) -> Audience? {
        lock.withLock { unsafe state.knownAudience(of: property) } ?? gatherAudience(of: property)
    }

    private func gatherAudience(of property: PropertyIdentity) -> Audience? {
        guard let listed = transition({ $0.audienceToGather(of: property, byHand: false) }) else { return nil }
        // Each path has a lock of its own, so this is done without that of the table.
        let audience = Audience(
            direct: listed.direct, needs: listed.needs, paths: listed.paths,
            at: PathHook.Place(table: self, property: property))
        guard !audience.isEmpty else { return nil }
        transition { $0.remember(audience, of: property, version: listed.version) }
        return audience
    }

    /// Who is to be told of a change of `property` that is announced by hand, as one of `keyPath`.
    ///
    /// They include those who observe just that key path, computed or not.
    func audience(of property: PropertyIdentity, byHand keyPath: AnyKeyPath) -> Audience {
        let listed = transition { $0.audienceToGather(of: property, byHand: true) }
        var paths = listed?.paths ?? []
        if let path = path(at: keyPath), !paths.contains(where: { $0 === path }) { paths.append(path) }
        return Audience(
            direct: listed?.direct ?? [], needs: listed?.needs ?? [], paths: paths,
            at: PathHook.Place(table: self, property: property))
    }

    /// Gathers the audience of `property` anew at its next change: a path through it has other registrations.
    func forgetAudience(of property: PropertyIdentity) {
        transition { $0.forgetAudience(of: property) }
    }

    // MARK: Registrations

    /// Records a registration on `object`, whose table this is.
    ///
    /// From here on it is told of changes.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - keyPath: Where.
    ///   - object: The object.
    ///   - evaluate: Reads a key path of an object.
    /// - Returns: Where it is kept, which its removal needs to know.
    func add<Object: KeyValueObservable, Value>(
        _ registration: Registration, at keyPath: KeyPath<Object, Value>, on object: Object,
        evaluating evaluate: @escaping (Object, KeyPath<Object, Value>) -> AnyValue
    ) -> RegistrationPlace {
        let (property, facts) = property(at: keyPath, of: object, registration.fileID, registration.line)
        if let property {
            transition { $0.add(registration, to: property) }
            return .property(property)
        }
        while true {
            let (paths, version) = transition { $0.knownPaths }
            var path = paths.first { KeyPathComponents.areSame($0.keyPath, keyPath) }
            if path == nil {
                let new = TypedPath(
                    root: object, keyPath: keyPath, facts: facts ?? ClassFacts.of(object).facts(of: keyPath),
                    evaluating: evaluate)
                // Another thread may have made the same path in the meantime.
                guard transition({ $0.add(new, expecting: version) }) else { continue }
                path = new
            }
            guard let path, path.add(registration) else {
                // Its last registration was removed on another thread, which is about to take it away.
                transition { $0.remove(path) }
                continue
            }
            if !path.isWired { path.rewire() }
            return .path(path)
        }
    }

    /// Traps if `keyPath` cannot be observed.
    @usableFromInline
    func checkObservable<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ fileID: StaticString, _ line: UInt
    ) {
        _ = property(at: keyPath, of: object, fileID, line)
    }

    /// The object's own observed property that `keyPath` names, if it names one and nothing else, and what the class
    /// says about it; traps if it names nothing that can be observed.
    private func property<Object: KeyValueObservable, Value>(
        at keyPath: KeyPath<Object, Value>, of object: Object, _ fileID: StaticString, _ line: UInt
    ) -> (plain: PropertyIdentity?, facts: PropertyFacts?) {
        if let known = transition({ $0.plainProperty(at: keyPath) }) { return (known, nil) }

        let recorder = PlaceRecorder(root: object, keyPath: keyPath)
        _ = recorder.recording { object[keyPath: keyPath] }
        if let plain = recorder.plain {
            transition { $0.notePlain(plain.property, plain.facts, keyPath: plain.keyPath) }
            return (plain.property, plain.facts)
        }
        if !recorder.readsAnything { trapUnlessDeclared(keyPath, of: object, fileID, line) }
        return (nil, recorder.facts)
    }

    private func trapUnlessDeclared(
        _ keyPath: AnyKeyPath, of object: some KeyValueObservable, _ fileID: StaticString, _ line: UInt
    ) {
        let facts = ClassFacts.of(object).facts(of: keyPath)
        guard facts.isAutomatic, facts.declaredDependencies.isEmpty else { return }
        fatalError(
            """
            \(type(of: object)) cannot be observed at \(keyPath): reading it touches no @Observed property, so no \
            change of it can be seen. Make a stored property behind it @Observed, or declare what affects it in \
            keyPathsAffectingValue(for:).
            """, file: fileID, line: line)
    }

    /// The path that is evaluated for the registrations at `keyPath`, if there is one.
    func path(at keyPath: AnyKeyPath) -> ObservedPath? {
        transition { $0.knownPaths }.paths.first { KeyPathComponents.areSame($0.keyPath, keyPath) }
    }

    /// The property that `keyPath` names as a change by hand does, whoever observes it and how.
    func property(byHand keyPath: AnyKeyPath) -> PropertyIdentity {
        transition { $0.recordedProperty(at: keyPath) } ?? PropertyIdentity(byHand: keyPath)
    }

    /// Ends a registration and releases its handler; nothing happens if it has ended.
    func remove(_ id: RegistrationID, at place: RegistrationPlace) {
        switch place {
        case .property(let property):
            // The result is the registration, which is released here, without the lock.
            _ = transition { $0.remove(id, from: property) }
        case .path(let path):
            if path.remove(id).isLast { transition { $0.remove(path) } }
        }
    }

    /// All registrations on the object, in the order in which they were made.
    var registrations: [Registration] {
        let (direct, paths) = transition { ($0.directRegistrations, $0.knownPaths.paths) }
        return (direct + paths.flatMap(\.registrations)).sorted { $0.id < $1.id }
    }

    /// Whether somebody observes the object at `keyPath`.
    func observes(_ keyPath: AnyKeyPath) -> Bool {
        if let property = transition({ $0.plainProperty(at: keyPath) }) {
            return transition { $0.isObservedDirectly(property) }
        }
        return path(at: keyPath).map { !$0.registrations.isEmpty } ?? false
    }

    // MARK: Paths that lead through the object

    /// What the object's class says about one of its properties.
    func facts<Object: KeyValueObservable>(
        of property: PropertyIdentity, on object: Object,
        _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) -> PropertyFacts {
        transition { $0.facts(of: property) } ?? ClassFacts.of(object).facts(of: property, keyPaths)
    }

    func add(_ hook: PathHook, to property: PropertyIdentity, _ facts: PropertyFacts, keyPath: AnyKeyPath?) {
        transition { $0.add(hook, to: property, facts, keyPath: keyPath) }
    }

    func remove(_ hook: PathHook, from property: PropertyIdentity) {
        transition { $0.remove(hook, from: property) }
    }

    // MARK: The object

    /// Ends everything that is registered on the object: it is gone.
    func endWithOwner() {
        ended.store(true, ordering: .releasing)
        let leftovers = transition { $0.end() }
        for registration in leftovers.registrations { registration.deactivate() }
        for path in leftovers.paths { path.end() }
        leftovers.controllers?.end()
        withExtendedLifetime(leftovers) {}
    }

    /// The object's own controllers, made on first use.
    var controllers: ObjectControllers {
        let new = ObjectControllers()
        return transition { $0.controllers(orElse: new) }
    }

    /// Makes one transition of the state and brings the mask up to date.
    private func transition<Result>(_ body: (inout ObservationTableState) -> Result) -> Result {
        lock.withLock {
            let result = unsafe body(&state)
            let observed = unsafe state.observedProperties
            if observed != observedProperties.load(ordering: .relaxed) {
                observedProperties.store(observed, ordering: .releasing)
            }
            return result
        }
    }
}
