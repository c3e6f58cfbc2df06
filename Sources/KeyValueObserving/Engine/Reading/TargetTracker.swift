// Finding out what a key path names, by reading it once.

/// Notes what one reading of a key path touches.
final class TargetTracker: Tracker {
    private let root: AnyObject
    // Only the evaluating thread uses the tracker, and no access lasts while other code runs.
    @safe @exclusivity(unchecked) private(set) var first: Property?
    @safe @exclusivity(unchecked) private var isSingle = true

    /// A property of the root.
    struct Property {
        let object: AnyObject
        let table: ObservationTable
        let property: PropertyIdentity
        let manualName: KeyPathName?
        let description: PropertyDescription

        /// Its record, if there is one.
        var knownRecord: PropertyRecord? {
            if let manualName { return table.manualRecord(at: manualName) }
            return table.unretainedRecord(of: property)?.object
        }

        /// The record of a stored property, made now if there is none.
        var record: PropertyRecord { table.record(of: property) { description } }
    }

    init(root: AnyObject) {
        self.root = root
    }

    /// Whether anything observable was read.
    var hasRead: Bool { first != nil }

    /// The property of the root that was read, if that is all that was.
    var single: Property? { isSingle && first?.object === root ? first : nil }

    override func note(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {
        let name = manualKeyPath.map(KeyPathName.init)
        guard let first = first else {
            let description = Tracking.suspended(describe)
            self.first = Property(
                object: object, table: table, property: property, manualName: name, description: description)
            return
        }
        let isSame =
            first.object === object && first.property == property
            && (name.flatMap { name in first.manualName.map { $0.isSame(as: name) } } ?? (first.manualName == nil))
        if !isSame { isSingle = false }
    }

    /// The stored property that a key path names and nothing else, if it is known in the object's table.
    ///
    /// A stored property has one record only, also where it notifies manually: what is attached to another one would
    /// not be notified together with it.
    static func storedProperty(
        _ keyPath: AnyKeyPath, of object: AnyObject, in table: ObservationTable
    ) -> PropertyRecord? {
        guard let named = table.storedRecord(at: keyPath) else { return nil }
        if named.description?.isExact ?? false { return named }
        // An override may stand in front of it, which only a reading shows. What is accessed in place must not be read.
        if named.isAccessed { return nil }
        let tracker = TargetTracker(root: object)
        _ = tracker.tracking { (object as Any)[keyPath: keyPath] }
        return tracker.single?.knownRecord === named ? named : nil
    }
}
