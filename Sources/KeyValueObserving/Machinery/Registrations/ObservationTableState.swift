// What a table knows of its object, as a value with transitions.

/// The state of a table.
///
/// Its owner takes the lock; what a transition returns is done after the lock is left.
struct ObservationTableState {
    /// The record made last, which leads to the others; they stay as long as the table.
    private(set) var newest: PropertyRecord?
    /// The object's own paths, and a number that changes with them.
    private var paths: [ObservedPath] = []
    private var pathsVersion = 0
    private var controllers: ObjectControllers?

    // MARK: Properties

    /// The record of a property, made now if there is none.
    mutating func record(of property: PropertyIdentity, _ facts: PropertyFacts, keyPath: AnyKeyPath?) -> PropertyRecord
    {
        if let record = records.first(where: { $0.property == property }) {
            record.note(facts, keyPath: keyPath)
            return record
        }
        let record = PropertyRecord(of: property, facts, keyPath: keyPath, before: newest)
        newest = record
        return record
    }

    /// The bits of the properties that somebody observes.
    var observedProperties: UInt64 {
        records.reduce(0) { $1.isObserved ? $0 | $1.property.bit : $0 }
    }

    /// All registrations on properties, in no order.
    var directRegistrations: [Registration] { records.flatMap { unsafe $0.direct.registrations } }

    private var records: some Sequence<PropertyRecord> {
        sequence(state: newest) { record in
            defer { record = record?.next }
            return record
        }
    }

    // MARK: Paths of the object

    var knownPaths: (paths: [ObservedPath], version: Int) { (paths, pathsVersion) }

    /// Adds a path; false if the paths are not those of `version` any more.
    mutating func add(_ path: ObservedPath, expecting version: Int) -> Bool {
        guard version == pathsVersion else { return false }
        paths.append(path)
        pathsVersion += 1
        return true
    }

    mutating func remove(_ path: ObservedPath?) {
        paths.removeAll { $0 === path }
        pathsVersion += 1
    }

    // MARK: The object

    mutating func controllers(orElse new: ObjectControllers) -> ObjectControllers {
        if let controllers { return controllers }
        controllers = new
        return new
    }

    /// Empties the table.
    ///
    /// - Returns: What is to be ended and released without the lock.
    mutating func end() -> (
        registrations: [Registration], paths: [ObservedPath], hooks: [PathHook], controllers: ObjectControllers?
    ) {
        let ended = records.map { $0.end() }
        defer {
            paths = []
            controllers = nil
        }
        return (ended.flatMap(\.direct.registrations), paths, ended.flatMap(\.hooks), controllers)
    }
}
