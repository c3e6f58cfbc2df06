// Which stored properties one reading touches.

/// Notes the stored properties that one reading touches, of whichever objects.
final class StoredReadsTracker: Tracker {
    // Only the evaluating thread uses the tracker, and no access lasts while other code runs.
    @safe @exclusivity(unchecked) private var read = DistinctObjects<PropertyRecord>()

    var records: ContiguousArray<PropertyRecord> { read.elements }

    override func note(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {
        // A property that notifies manually is not accessed in place.
        if manualKeyPath != nil { return }
        table.noteOwner(object)
        _ = read.append(Tracking.suspended { table.record(of: property, describe) })
    }
}
