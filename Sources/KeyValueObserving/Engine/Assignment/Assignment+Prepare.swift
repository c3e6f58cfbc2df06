// What is done before a change is worked out.

extension Assignment {
    /// Runs what may change a value, before a change of some of its elements is planned from what it is.
    ///
    /// First, those who watch all properties register at this one, unless they have; that may run getters and release
    /// handlers. Then the deliveries under way on this thread are completed, if the planned change will be delivered too.
    @usableFromInline
    static func prepare(
        _ property: PropertyIdentity, of object: AnyObject, in table: UInt, named keyPath: () -> AnyKeyPath
    ) {
        if isWatched(table) { watch(property, of: object, in: table, keyPath()) }
        prepare(property, in: table)
    }

    /// The same for a property at which nobody is to register any more.
    static func prepare(_ property: PropertyIdentity, in table: UInt) {
        guard ThisThread.isDelivering, let table = Unretained<ObservationTable>(at: table) else { return }
        let mayNotify = table.with { table in
            table.mayObserve(property) && table.unretainedRecord(of: property)?.object.mayNotifyWhenSet ?? false
        }
        if mayNotify { Delivery.completeAll() }
    }
}
