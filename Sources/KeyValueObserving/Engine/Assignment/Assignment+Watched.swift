// A change of an object all of whose properties are watched.

extension Assignment {
    /// Whether somebody may watch all properties of the object whose table is at an address: false is certain.
    @inlinable @inline(__always)
    static func isWatched(_ table: UInt) -> Bool {
        Unretained<ObservationTable>(at: table)?.with { $0.mayBeWatched } ?? false
    }

    /// Has those who watch all properties of an object register at one that is about to change.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - object: The object.
    ///   - table: The address of its table.
    ///   - keyPath: The property's key path, as its class writes it.
    @usableFromInline
    static func watch(_ property: PropertyIdentity, of object: AnyObject, in table: UInt, _ keyPath: AnyKeyPath) {
        guard let table = Unretained<ObservationTable>(at: table)?.object else { return }
        let watchers = table.watchers
        if watchers.isEmpty { return }
        let record = table.unretainedRecord(of: property)?.object
        let known = record.flatMap { $0.keyPath == nil ? nil : $0 }
        let described = known ?? describedRecord(of: property, of: object, in: table, keyPath)
        for watcher in watchers { watcher.watch(described, at: described.keyPath ?? keyPath) }
    }

    /// The record of a property, described by reading it.
    private static func describedRecord(
        of property: PropertyIdentity, of object: AnyObject, in table: ObservationTable, _ keyPath: AnyKeyPath
    ) -> PropertyRecord {
        // An override may read others, too.
        let tracker = TargetTracker(root: object, noting: property)
        _ = tracker.tracking { (object as Any)[keyPath: keyPath] }
        return tracker.single?.record ?? table.record(of: property)
    }

    /// The same for a property whose change is announced.
    static func watch(_ record: PropertyRecord, in table: ObservationTable, _ keyPath: AnyKeyPath) {
        guard table.mayBeWatched else { return }
        for watcher in table.watchers { watcher.watch(record, at: record.keyPath ?? keyPath) }
    }

    /// Finds the stored property that a change is announced of, if all properties are watched.
    ///
    /// Watchers are called with its key path as its class writes it, which the announcement may not know.
    static func findWatched<Object: KeyValueObservable, Value>(
        _ name: KeyPathName, _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable
    ) {
        // What is accessed in place must not be read.
        guard table.mayBeWatched, !table.watchers.isEmpty, table.record(at: name) == nil, !table.isAccessed else {
            return
        }
        let tracker = TargetTracker(root: object)
        _ = tracker.tracking { object[keyPath: keyPath] }
        guard let single = tracker.single, single.manualName == nil, let known = single.description.keyPath,
            KeyPathComponents.areSame(known, keyPath)
        else { return }
        _ = single.record
    }
}
