// A property is changed in place.

extension Assignment {
    /// Prepares an access in place to a property of an observed object; nil if nobody needs to know.
    ///
    /// What is being delivered on this thread is completed first.
    @usableFromInline
    static func beginInPlace<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, in table: UInt
    ) -> ChangeInPlace? {
        let record: PropertyRecord
        switch open(place.property, in: table) {
        case .silent: return nil
        case .simple(let borrowed):
            record = unsafe borrowed.record.takeUnretainedValue()
            borrowed.giveBack()
        case .careful(let found): record = found
        }
        return Tracker.suspended {
            let newestNumber = Registration.newestNumber
            var recipients: Recipients?
            if case .recipients(let found) = record.standing() { recipients = found }
            return TypedChangeInPlace(record, of: object, at: place, for: recipients, newestNumber)
        }
    }

    /// Ends a change in place once the access has ended.
    @usableFromInline
    static func endInPlace(_ change: ChangeInPlace) {
        Tracker.suspended {
            Delivery.completeAll()
            change.didEnd()
        }
    }
}
