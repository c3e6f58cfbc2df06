// What is done before a change is worked out.

extension Assignment {
    /// Does what may change a value before anybody looks at it to plan a change of some elements.
    ///
    /// Who watches all properties registers at this one, if it has never changed, which may run getters and release
    /// handlers. Then what is being delivered on this thread is completed, if the planned change will be delivered too.
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
