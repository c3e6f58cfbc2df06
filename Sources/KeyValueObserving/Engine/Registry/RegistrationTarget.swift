// Where a registration belongs: a property of the object, or a path that is evaluated.

/// Finds where registrations at a key path belong.
@usableFromInline
package enum RegistrationTarget {
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
        let table = table(of: object)
        if let record = table.add(registration, request, ifKnownAt: keyPath, of: object) { return record }
        table.noteOwner(object)
        let name = KeyPathName(keyPath)
        if let path = table.path(at: name) {
            // What its getter sets now comes before the registration.
            Transaction.current?.object.separate(path)
            if path.add(registration, request, at: keyPath) { return path }
        }
        let (property, policy) = find(keyPath, of: object, (request.fileID, request.line)) { read(object) }
        if let property {
            checkPrior(request, at: property, of: object)
            property.becomePlain()
            property.add(registration, request, at: keyPath)
            return property
        }
        noteUnobservablePart(of: keyPath)
        while true {
            let core = TypedPathCore<Object, Value>(
                root: object, name, declared: policy.dependencies, parts: parts, reading: read)
            let path = table.path(at: name, orElse: EvaluatedPath(core, in: table))
            // What its getter sets now comes before the registration.
            (path as? EvaluatedPath)?.evaluateFirst(from: object)
            if let leaf = (path as? EvaluatedPath)?.leafProperty { checkPrior(request, at: leaf, of: object) }
            if path.add(registration, request, at: keyPath) { return path }
            // Its last registration was removed on another thread, which is about to take it off.
            table.remove(path)
        }
    }

    /// Traps if somebody wants to be called before changes of a property that several threads change.
    private static func checkPrior(
        _ request: borrowing RegistrationRequest, at property: PropertyRecord, of object: AnyObject
    ) {
        guard request.options.contains(.prior), let description = property.description, description.isShared else {
            return
        }
        let name = description.keyPath.map { PropertyNames.text(of: $0) } ?? "a property"
        fatalError(
            """
            .prior is not possible at \(name), which \(TypeName.of(object)) declares as @ObservedShared: another thread may \
            change it before the observer has been called. Ask for .old instead.
            """, file: request.fileID, line: request.line)
    }

    /// The table of an object; traps if the object does not keep it.
    @inline(__always)
    static func table(of object: some KeyValueObservable) -> ObservationTable {
        let table = object.keyValueRegistrar.table()
        if object.keyValueRegistrar.existingTable !== table { trapForgetful(type(of: object)) }
        return table
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
    package static func check<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ fileID: StaticString, _ line: UInt
    ) {
        _ = find(keyPath, of: object, (fileID, line)) { object[keyPath: keyPath] }
    }

    /// What a key path is called, for a message; traps if it cannot be observed.
    static func name<Object: KeyValueObservable, Value>(
        of keyPath: KeyPath<Object, Value>, in object: Object, _ fileID: StaticString, _ line: UInt
    ) -> String {
        // Names are those of properties that were read.
        check(keyPath, of: object, fileID, line)
        return PropertyNames.text(of: keyPath)
    }

    /// Whether a key path can be observed: reading it touches an observed property, or the class declares it.
    package static func isObservable<Object: KeyValueObservable, Value>(
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
                \(TypeName.of(object)) cannot be observed at \(PropertyNames.likelyText(of: keyPath, in: object)): reading \
                it touches no @Observed property, so no change of it can be seen. \(advice(for: object))
                """, file: site.fileID, line: site.line)
        }
        return (nil, policy)
    }

    /// How a property becomes observable.
    static func advice(for object: some KeyValueObservable) -> String {
        let type = type(of: object)
        if let foreign = ForeignClass.inherited(by: type) {
            return """
                If \(TypeName.text(of: foreign)) declares it, only those of its properties can be observed that \
                \(TypeName.text(of: type)) overrides: override it there, and announce its changes with changeValue(for:).
                """
        }
        return """
            Make a stored property behind it @Observed, call accessValue(for:) in its getter if its changes are announced \
            manually, or declare what affects it in keyPathsAffectingValue(for:).
            """
    }

    // MARK: What is observed

    /// Whether somebody observes an object at a key path, however the key path is written.
    static func isObserved<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable
    ) -> Bool {
        let name = KeyPathName(keyPath)
        if let path = table.path(at: name), path.registrations.hasRecipient { return true }
        guard let record = property(name, keyPath, of: object, in: table, for: .asking) else { return false }
        return record.direct.hasRecipient || ownPath(of: record, in: table)?.registrations.hasRecipient ?? false
            || table.paths.contains { $0.justProperty === record && $0.registrations.hasRecipient }
    }

    /// Identifies what registrations at a key path are made on, for as long as there are any; nil if there are none.
    @usableFromInline
    static func identity<Object: KeyValueObservable, Value>(
        of keyPath: KeyPath<Object, Value>, on object: Object, for purpose: Purpose
    ) -> ObjectIdentifier? {
        guard let table = object.keyValueRegistrar.existingTable else { return nil }
        let name = KeyPathName(keyPath)
        // Where there is a path, they are made on it: it may read more than the property that its key path names.
        if let path = table.path(at: name) { return path.target }
        return property(name, keyPath, of: object, in: table, for: purpose).map { record in
            ownPath(of: record, in: table)?.target ?? ObjectIdentifier(record)
        }
    }

    /// The path at a property's own key path, if there is one: its getter reads more.
    private static func ownPath(of record: PropertyRecord, in table: ObservationTable) -> ObservedPath? {
        record.keyPath.flatMap { table.path(at: KeyPathName($0)) }
    }

    /// The same for a key path from one of the classes that an object is of, to end registrations.
    package static func identity(ofAny keyPath: AnyKeyPath, on object: AnyObject) -> ObjectIdentifier? {
        func openRoot<Root: KeyValueObservable>(_: Root.Type) -> ObjectIdentifier? {
            guard let object = object as? Root else { return nil }
            func openValue<Value>(_: Value.Type) -> ObjectIdentifier? {
                (keyPath as? KeyPath<Root, Value>).flatMap { identity(of: $0, on: object, for: .asking) }
            }
            return _openExistential(type(of: keyPath).valueType, do: openValue)
        }
        return (type(of: keyPath).rootType as? any KeyValueObservable.Type).flatMap { openRoot($0) }
    }

    /// What a property is looked up for.
    @usableFromInline
    enum Purpose {
        /// Registering or announcing a change: the property may be read, unless it is being accessed in place.
        case changing
        /// Ending a registration or asking about one, on any thread: nothing is read.
        case asking
    }

    /// The property of an object that a key path names, if it is known there.
    ///
    /// An override may stand in front of a stored property, and read more. A change that is announced of it is one of
    /// the stored property all the same: whatever reads that may have changed.
    ///
    /// - Parameters:
    ///   - name: The key path, with its hash.
    ///   - keyPath: The same.
    ///   - object: The object.
    ///   - table: The object's table.
    ///   - purpose: What it is looked up for.
    /// - Returns: Its record.
    static func property<Object: KeyValueObservable, Value>(
        _ name: KeyPathName, _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable,
        for purpose: Purpose
    ) -> PropertyRecord? {
        if let record = table.record(at: name) { return record }
        guard table.hasRecords, let components = KeyPathComponents(keyPath), !components.hasArguments else {
            return nil
        }
        let similar = table.namedRecords(ofType: Value.self).filter { record in
            record.keyPath.map { KeyPathComponents.mayBeSame($0, keyPath) } ?? false
        }
        // A class and a subclass write a property with the same components.
        let written = similar.first { record in
            record.keyPath.map { KeyPathComponents.areSame($0, keyPath) } ?? false
        }
        if let written { return written }
        if similar.isEmpty { return nil }
        // What a protocol or a generic context writes names the property that its getter reports.
        if let known = ClassPolicy.of(object).writtenProperty(at: keyPath) {
            return known.flatMap { table.unretainedRecord(of: $0)?.object }
        }
        // What an instance of the superclass showed holds for this one too.
        if let known = ClassPolicy.of(Object.self).writtenProperty(at: keyPath),
            let record = similar.first(where: { $0.property == known })
        {
            return record
        }
        switch purpose {
        case .asking:
            noteUnknown(keyPath, of: object)
            return nil
        case .changing:
            return table.isAccessed ? nil : propertyByReading(keyPath, of: object)
        }
    }

    /// The property that a key path from a protocol or a generic context names, found by reading it.
    private static func propertyByReading<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object
    ) -> PropertyRecord? {
        let tracker = TargetTracker(root: object)
        let value = tracker.tracking { object[keyPath: keyPath] }
        guard let target = tracker.single, let known = target.description.keyPath, let record = target.knownRecord,
            KeyPathComponents.mayBeSame(known, keyPath)
        else { return nil }
        let stored = Tracking.suspended { (object as Any)[keyPath: known] as? Value }
        let isSame = stored.map { isSameCopy($0, value) } ?? false
        if !record.isManual { ClassPolicy.of(object).noteWritten(isSame ? record.property : nil, at: keyPath) }
        return isSame ? record : nil
    }

    /// Says once that a key path may name a property that is observed under another one.
    private static func noteUnknown(_ keyPath: AnyKeyPath, of object: AnyObject) {
        KeyValueDiagnostics.noteOnce(
            """
            \(keyPath), which a protocol or a generic context writes, was never observed on a \(TypeName.of(object)), so \
            it is not known which property it names, and what is observed with another key path is left as it is. Ask \
            about it, and end it, with the key path that it was registered with.
            """)
    }
}
