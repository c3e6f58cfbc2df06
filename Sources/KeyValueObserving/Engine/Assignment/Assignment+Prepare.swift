// What is done before a change is worked out.

extension Assignment {
    /// Completes what is being delivered on this thread, if a change that is being planned will be delivered too.
    ///
    /// It is called before anybody looks at the value that is about to change.
    @usableFromInline
    static func prepare(_ property: PropertyIdentity, in table: UInt) {
        guard ThisThread.isDelivering, let table = Unretained<ObservationTable>(at: table) else { return }
        let mayNotify = table.with { table in
            // Who watches all properties registers at one only when it is about to change for the first time.
            table.mayObserve(property)
                && table.unretainedRecord(of: property)?.object.mayNotifyWhenSet ?? table.mayBeWatched
        }
        if mayNotify { Delivery.completeAll() }
    }
}
