// Where a registration belongs: a property of the object, or a path that is evaluated.

/// Finds where registrations at a key path belong.
@usableFromInline
enum RegistrationTarget {
    /// Records a registration on an object.
    ///
    /// From here on it takes part in changes.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - request: What was asked for.
    ///   - keyPath: Where.
    ///   - object: The object.
    ///   - parts: The key paths that the key path was put together from, if it was.
    ///   - read: Reads the key path of an object.
    /// - Returns: What keeps it.
    static func record<Object: KeyValueObservable, Value>(
        _ registration: Registration, _ request: borrowing RegistrationRequest, at keyPath: KeyPath<Object, Value>,
        of object: Object, parts: [AnyKeyPath]?, reading read: @escaping (Object) -> Box<Value>
    ) -> any RegistrationKeeper {
        let table = object.keyValueRegistrar.table()
        if let record = table.add(registration, request, ifKnownAt: keyPath) { return record }
        let name = KeyPathName(keyPath)
        if let path = table.path(at: name), path.add(registration, request, at: keyPath) { return path }
        let (property, policy) = find(keyPath, of: object, (request.fileID, request.line)) { read(object) }
        if let property {
            property.becomePlain()
            property.add(registration, request, at: keyPath)
            return property
        }
        while true {
            let core = TypedPathCore(root: object, name, declared: policy.dependencies, parts: parts, reading: read)
            let path = table.path(at: name, orElse: ObservedPath(core, in: table))
            guard path.add(registration, request, at: keyPath) else {
                // Its last registration was removed on another thread, which is about to take it off.
                table.remove(path)
                continue
            }
            if !path.isEvaluated, let core = path.core { path.evaluate(core, from: object) }
            return path
        }
    }

    /// Traps if a key path cannot be observed.
    @usableFromInline
    static func check<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ fileID: StaticString, _ line: UInt
    ) {
        _ = find(keyPath, of: object, (fileID, line)) { object[keyPath: keyPath] }
    }

    /// Whether a key path can be observed: reading it touches an observed property, or the class declares it.
    static func isObservable<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object
    ) -> Bool {
        let tracker = TargetTracker(root: object)
        _ = tracker.tracking { object[keyPath: keyPath] }
        return tracker.hasRead || ClassPolicy.of(object).policy(of: keyPath).isDeclared
    }

    /// Finds the object's own stored property that a key path names, if it names one and nothing else, and what the class
    /// says about the key path; traps if it cannot be observed.
    ///
    /// An instance of a subclass may have an override, which may read more another time: its properties are paths.
    private static func find<Object: KeyValueObservable>(
        _ keyPath: AnyKeyPath, of object: Object, _ site: (fileID: StaticString, line: UInt), _ read: () -> Any
    ) -> (property: PropertyRecord?, policy: PropertyPolicy) {
        let tracker = TargetTracker(root: object)
        _ = tracker.tracking(read)
        if let single = tracker.single, single.manualName == nil, let known = single.description.keyPath,
            KeyPathComponents.areSame(known, keyPath)
        {
            let policy = single.description.policy
            let isPlain = single.description.isExact && policy.dependencies.isEmpty
            return (isPlain ? single.record : nil, policy)
        }
        let policy = Tracker.suspended { ClassPolicy.of(object).policy(of: keyPath) }
        guard tracker.hasRead || policy.isDeclared else {
            fatalError(
                """
                \(type(of: object)) cannot be observed at \(keyPath): reading it touches no @Observed property, so no \
                change of it can be seen. Make a stored property behind it @Observed, or declare what affects it in \
                keyPathsAffectingValue(for:).
                """, file: site.fileID, line: site.line)
        }
        return (nil, policy)
    }

    // MARK: What is observed

    /// Whether somebody observes an object at a key path, however the key path is written.
    static func isObserved<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable
    ) -> Bool {
        if let path = table.path(at: KeyPathName(keyPath)), !path.registrations.isEmpty { return true }
        guard let record = property(keyPath, of: object, in: table) else { return false }
        return !record.direct.isEmpty || table.paths.contains { $0.isJust(record) }
    }

    /// What registrations at a key path are made on: the record of a property, or a path; nil if there is none.
    static func known<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object
    ) -> AnyObject? {
        guard let table = object.keyValueRegistrar.existingTable else { return nil }
        return property(keyPath, of: object, in: table) ?? table.path(at: KeyPathName(keyPath))
    }

    /// The property of an object that a key path names and nothing else.
    private static func property<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable
    ) -> PropertyRecord? {
        let candidates = table.namedRecords(ofType: Value.self)
        if let record = candidates.first(where: { $0.isNamed(exactly: keyPath) }) { return record }
        guard candidates.contains(where: { $0.hasOtherRoot(than: keyPath) }) else { return nil }
        let tracker = TargetTracker(root: object)
        _ = tracker.tracking { object[keyPath: keyPath] }
        guard let target = tracker.single, let known = target.description.keyPath,
            KeyPathComponents.areSame(known, keyPath)
        else { return nil }
        return target.knownRecord
    }
}
