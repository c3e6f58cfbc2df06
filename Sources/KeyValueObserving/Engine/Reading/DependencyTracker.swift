// Hooking a path to what its evaluation reads.

/// Hooks a path to each property that its evaluation reads, before that is read: see ``Dependencies``.
final class DependencyTracker: Tracker {
    /// The path, which evaluates itself.
    private let path: Unretained<EvaluatedPath>
    let start: Dependencies<PropertyRecord>.Start
    // Only the evaluating thread uses the tracker, and no access lasts while other code runs.
    /// How many of the expected properties have been read.
    @safe @exclusivity(unchecked) private var agreed = 0
    /// What was read, from the first read on that was not expected.
    @safe @exclusivity(unchecked) private var read: DistinctObjects<PropertyRecord>?
    @safe @exclusivity(unchecked) private(set) var attached: ContiguousArray<PropertyRecord> = []
    /// The declared dependencies that were read; a key path is read once for each object, so that cycles end.
    @safe @exclusivity(unchecked) private var followed: [(object: AnyObject, name: KeyPathName)] = []

    init(_ path: EvaluatedPath, _ start: Dependencies<PropertyRecord>.Start) {
        self.path = Unretained(path)
        self.start = start
    }

    /// What was read, if that is not what was expected.
    var differing: DistinctObjects<PropertyRecord>? {
        if read == nil, agreed < start.expected.count || start.expected.isEmpty { differ() }
        return read
    }

    /// Whether declared dependencies were read.
    var hasFollowed: Bool { !followed.isEmpty }

    override func isExpected(_ table: UInt, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?) -> Bool {
        guard read == nil, agreed < start.expected.count else { return false }
        let next = start.expected[agreed]
        guard UInt(bitPattern: ObjectIdentifier(next.table)) == table, next.property == property,
            manualKeyPath == nil || next.keyPath === manualKeyPath
        else { return false }
        agreed += 1
        return true
    }

    override func note(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {
        // What it takes to describe a property is nobody's dependency.
        let record = Tracking.suspended { attachedRecord(object, table, property, manualKeyPath, describe) }
        let dependencies = record.description?.policy.dependencies ?? []
        if !dependencies.isEmpty { follow(dependencies, of: object) }
    }

    /// The record of a property, to which the path is attached.
    private func attachedRecord(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, _ manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) -> PropertyRecord {
        let stored = manualKeyPath.flatMap { storedRecord(at: $0, of: object, in: table) }
        let name = manualKeyPath.map(KeyPathName.init)
        table.noteOwner(object)
        while true {
            let record =
                stored ?? name.map { table.manualRecord(at: $0, describe) } ?? table.record(of: property, describe)
            if read == nil, start.expected[..<agreed].contains(where: { $0 === record }) { return record }
            differ()
            guard read?.append(record) ?? false else { return record }
            guard let pending = path.with({ record.attach($0) }) else {
                // It went meanwhile.
                read?.removeLast()
                continue
            }
            attached.append(record)
            path.with { path in
                for change in pending { change.includePath(path) }
            }
            return record
        }
    }

    /// The record of the stored property that a manual key path names, if that is known.
    ///
    /// A stored property has one record only, also where it notifies manually, or where an override stands in front of it:
    /// what is attached to another one would not be notified together with it. An override that does not read it is
    /// another property.
    private func storedRecord(
        at keyPath: AnyKeyPath, of object: AnyObject, in table: ObservationTable
    ) -> PropertyRecord? {
        guard let record = table.storedRecord(at: keyPath) else { return nil }
        // What is accessed in place must not be read: the next evaluation finds out.
        if record.isAccessed || record.description?.isExact ?? false { return record }
        let search = PropertySearch(record)
        _ = search.tracking { (object as Any)[keyPath: keyPath] }
        return search.isFound ? record : nil
    }

    /// Notes what was read as expected, for what follows is not.
    private func differ() {
        guard read == nil else { return }
        var agreed: ContiguousArray<PropertyRecord> = []
        // Most often as much is read as before.
        agreed.reserveCapacity(start.expected.count)
        agreed += start.expected[..<self.agreed]
        read = DistinctObjects(agreed)
    }

    /// Reads declared dependencies, and theirs.
    func follow(_ dependencies: [AnyKeyPath], of object: AnyObject) {
        for keyPath in dependencies {
            let name = KeyPathName(keyPath)
            guard !followed.contains(where: { $0.object === object && $0.name.isSame(as: name) }) else {
                continue
            }
            followed.append((object, name))
            guard (object as Any)[keyPath: keyPath] != nil else {
                fatalError(
                    """
                    keyPathsAffectingValue(for:) of \(TypeName.of(object)) returned \(keyPath), which does not start at \
                    that class. Return key paths rooted at it.
                    """)
            }
            if let object = object as? any KeyValueObservable { follow(policy(of: keyPath, object), of: object, name) }
        }
    }

    /// Goes on to what a declared dependency depends on itself.
    private func follow(_ policy: PropertyPolicy, of object: some KeyValueObservable, _ name: KeyPathName) {
        // What is announced need not say that it is read.
        Tracking.suspended {
            _ = attachedRecord(object, object.keyValueRegistrar.table(), .manual, name.keyPath) {
                PropertyDescription(manual: name.keyPath, policy, of: type(of: object), from: type(of: object))
            }
        }
        follow(policy.dependencies, of: object)
    }

    private func policy(of keyPath: AnyKeyPath, _ object: some KeyValueObservable) -> PropertyPolicy {
        Tracking.suspended { ClassPolicy.of(object).policy(of: keyPath) }
    }
}

/// Finds out whether a stored property is read.
private final class PropertySearch: Tracker {
    private let record: PropertyRecord
    // Only the evaluating thread uses the tracker, and no access lasts while other code runs.
    @safe @exclusivity(unchecked) private(set) var isFound = false

    init(_ record: PropertyRecord) {
        self.record = record
    }

    override func note(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {
        if table === record.table, property == record.property { isFound = true }
    }
}
