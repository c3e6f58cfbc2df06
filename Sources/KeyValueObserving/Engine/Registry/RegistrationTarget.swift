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
        of object: Object, parts: [AnyKeyPath]?, reading read: @escaping (Object) -> BoxedValue
    ) -> any RegistrationKeeper {
        let table = object.keyValueRegistrar.table()
        if object.keyValueRegistrar.existingTable !== table { trapForgetful(type(of: object)) }
        if let record = table.add(registration, request, ifKnownAt: keyPath) { return record }
        table.noteOwner(object)
        let name = KeyPathName(keyPath)
        if let path = table.path(at: name), path.add(registration, request, at: keyPath) {
            Transaction.current?.noteRegistration(at: path)
            return path
        }
        let (property, policy) = find(keyPath, of: object, (request.fileID, request.line)) { read(object) }
        if let property {
            property.becomePlain()
            property.add(registration, request, at: keyPath)
            return property
        }
        noteUnobservablePart(of: keyPath)
        while true {
            let core = TypedPathCore<Object, Value>(
                root: object, name, declared: policy.dependencies, parts: parts, reading: read)
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

    /// Says once that a part of a key path cannot be followed.
    private static func noteUnobservablePart(of keyPath: AnyKeyPath) {
        guard let owner = KeyPathComponents.unobservableOwner(in: keyPath) else { return }
        let root = TypeName.text(of: type(of: keyPath).rootType)
        KeyValueDiagnostics.noteOnce(
            """
            \(PropertyNames.text(of: keyPath)) of \(root) leads through a property of \(TypeName.text(of: owner)), which \
            does not conform to KeyValueObservable. Changes of that property are not seen, only those of the properties \
            before it.
            """)
    }

    private static func trapForgetful(_ type: Any.Type) -> Never {
        fatalError(
            """
            \(TypeName.text(of: type)) cannot be observed: its keyValueRegistrar is another one each time it is read, so no \
            change could find its observers. Declare it as a stored property: let keyValueRegistrar = KeyValueRegistrar().
            """)
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

    /// Finds the object's own stored property that a key path names, if it names one and nothing else, and what the
    /// class says about the key path; traps if it cannot be observed.
    ///
    /// An override may read more another time: a property that a subclass may override is a path.
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
        let policy = Tracking.suspended { ClassPolicy.of(object).policy(of: keyPath) }
        guard tracker.hasRead || policy.isDeclared else {
            fatalError(
                """
                \(TypeName.of(object)) cannot be observed at \(keyPath): reading it touches no @Observed property, so no \
                change of it can be seen. Make a stored property behind it @Observed, call accessValue(for:) in its \
                getter if its changes are announced manually, or declare what affects it in keyPathsAffectingValue(for:).
                """, file: site.fileID, line: site.line)
        }
        return (nil, policy)
    }

    // MARK: What is observed

    /// Whether somebody observes an object at a key path, however the key path is written.
    static func isObserved<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable
    ) -> Bool {
        let name = KeyPathName(keyPath)
        if let path = table.path(at: name), path.registrations.hasRecipient { return true }
        guard let record = property(name, keyPath, of: object, in: table) else { return false }
        return record.direct.hasRecipient || table.paths.contains { $0.isJust(record) && $0.registrations.hasRecipient }
    }

    /// Identifies what registrations at a key path are made on, for as long as there are any; nil if there are none.
    @usableFromInline
    static func identity<Object: KeyValueObservable, Value>(
        of keyPath: KeyPath<Object, Value>, on object: Object
    ) -> ObjectIdentifier? {
        guard let table = object.keyValueRegistrar.existingTable else { return nil }
        let name = KeyPathName(keyPath)
        return property(name, keyPath, of: object, in: table).map { ObjectIdentifier($0) }
            ?? table.path(at: name).map { identity(of: $0) }
    }

    /// The same for a key path from one of the classes that an object is of.
    static func identity(ofAny keyPath: AnyKeyPath, on object: AnyObject) -> ObjectIdentifier? {
        func openRoot<Root: KeyValueObservable>(_: Root.Type) -> ObjectIdentifier? {
            guard let object = object as? Root else { return nil }
            func openValue<Value>(_: Value.Type) -> ObjectIdentifier? {
                (keyPath as? KeyPath<Root, Value>).flatMap { identity(of: $0, on: object) }
            }
            return _openExistential(type(of: keyPath).valueType, do: openValue)
        }
        return (type(of: keyPath).rootType as? any KeyValueObservable.Type).flatMap { openRoot($0) }
    }

    /// Identifies what keeps a registration, or the property that is just written in another way there.
    static func identity(of keeper: any RegistrationKeeper) -> ObjectIdentifier {
        (keeper as? ObservedPath)?.justProperty.map { ObjectIdentifier($0) } ?? ObjectIdentifier(keeper)
    }

    /// The property of an object that a key path names and nothing else, if it is known there.
    ///
    /// - Parameters:
    ///   - name: The key path, with its hash.
    ///   - keyPath: The same.
    ///   - object: The object.
    ///   - table: The object's table.
    /// - Returns: Its record.
    static func property<Object: KeyValueObservable, Value>(
        _ name: KeyPathName, _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable
    ) -> PropertyRecord? {
        if let record = table.record(at: name) { return record }
        guard table.hasRecords, let components = KeyPathComponents(keyPath), !components.hasArguments else {
            return nil
        }
        let similar = table.namedRecords(ofType: Value.self).filter { record in
            record.keyPath.map { KeyPathComponents.mayBeSame($0, keyPath) } ?? false
        }
        if similar.isEmpty { return nil }
        // What is accessed in place must not be read.
        if table.isAccessed { return similar.first { $0.isJust(keyPath) } }
        // A key path that is written in another way names the property that its getter reports.
        let tracker = TargetTracker(root: object)
        let value = tracker.tracking { object[keyPath: keyPath] }
        guard let target = tracker.single, let known = target.description.keyPath, let record = target.knownRecord,
            KeyPathComponents.mayBeSame(known, keyPath)
        else { return nil }
        if KeyPathComponents.areSame(known, keyPath) { return record }
        let stored = Tracking.suspended { (object as Any)[keyPath: known] as? Value }
        return stored.map { isSameCopy($0, value) } ?? false ? record : nil
    }
}
