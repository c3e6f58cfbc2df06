// Finding out what a key path names, by reading it once.

/// Notes what one reading of a key path touches.
final class TargetTracker: Tracker {
    private let root: AnyObject
    /// The property that is looked for; nil if it is any.
    private let wanted: PropertyIdentity?
    // Only the evaluating thread uses the tracker, and no access lasts while other code runs.
    @safe @exclusivity(unchecked) private var first: Property?
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

    /// - Parameters:
    ///   - root: The object that is read.
    ///   - wanted: The property of it to note; nil for whichever is read.
    init(root: AnyObject, noting wanted: PropertyIdentity? = nil) {
        self.root = root
        self.wanted = wanted
    }

    /// Whether anything observable was read.
    var hasRead: Bool { first != nil }

    /// The property of the root that was read, if that is all that was.
    var single: Property? { isSingle && first?.object === root ? first : nil }

    override func note(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {
        if let wanted, object !== root || property != wanted { return }
        let name = manualKeyPath.map(KeyPathName.init)
        guard let first = first else {
            let description = Tracking.suspended(describe)
            self.first = Property(
                object: object, table: table, property: property, manualName: name, description: description)
            return
        }
        // All manual properties have one identity; their names distinguish them.
        let isSame =
            first.object === object && first.property == property
            && (name.flatMap { first.manualName?.isSame(as: $0) } ?? true)
        if !isSame { isSingle = false }
    }
}
