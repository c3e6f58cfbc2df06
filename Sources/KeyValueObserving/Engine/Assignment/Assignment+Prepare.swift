// What is done before a change is worked out.

extension Assignment {
    /// Completes what is being delivered on this thread, if a change that is being planned will be delivered too.
    ///
    /// It is called before anybody looks at the value that is about to change.
    @usableFromInline
    static func prepare(_ property: PropertyIdentity, in table: UInt) {
        guard ThisThread.isDelivering, let table = Unretained<ObservationTable>(at: table) else { return }
        let mayNotify = table.with { table in
            table.mayObserve(property) && table.unretainedRecord(of: property)?.object.mayNotifyWhenSet ?? false
        }
        if mayNotify { Delivery.completeAll() }
    }
}
