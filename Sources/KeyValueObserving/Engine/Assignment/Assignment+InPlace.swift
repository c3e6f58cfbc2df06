// A property is changed in place.

extension Assignment {
    /// Prepares an access in place to a property of an observed object; nil if nobody needs to know.
    @inlinable
    static func beginInPlace<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, in table: UInt, named keyPath: () -> AnyKeyPath
    ) -> ChangeInPlace? {
        if _slowPath(isWatched(table)) { watch(place.property, of: object, in: table, keyPath()) }
        guard let change = openInPlace(place.property, of: object, in: table) else { return nil }
        change.begin(old: change.needsOld ? BoxedValue.holding(place.read()) : nil)
        return change
    }

    /// Finds out who is notified.
    ///
    /// What is being delivered on this thread is completed first.
    @usableFromInline
    static func openInPlace(_ property: PropertyIdentity, of object: AnyObject, in table: UInt) -> ChangeInPlace? {
        switch open(property, in: table) {
        case .silent: return nil
        case .simple(let borrowed):
            defer { borrowed.giveBack() }
            let recipients = borrowed.recipients.object
            return ChangeInPlace(borrowed.record.object, of: object, for: recipients, recipients.newestNumber)
        case .careful(let record, let borrowed):
            return record.with { record in
                if let borrowed { record.giveBack(borrowed) }
                return openCarefully(record, of: object)
            }
        }
    }

    /// Finds out who is notified where code of others may run before that.
    static func openCarefully(_ record: PropertyRecord, of object: AnyObject) -> ChangeInPlace {
        let newestNumber = Registration.newestNumber
        guard record.isAutomatic else { return openSilently(record, of: object, newestNumber) }
        var recipients: Recipients?
        if case .recipients(let found) = Sink.standing(record, of: object) { recipients = found }
        return ChangeInPlace(record, of: object, for: recipients, newestNumber)
    }

    /// The same for a property that notifies manually.
    private static func openSilently(
        _ record: PropertyRecord, of object: AnyObject, _ newestNumber: UInt64
    ) -> ChangeInPlace {
        var recipients: Recipients? = Recipients(direct: record.direct, paths: [])
        if case .nested = record.standing() { recipients = nil }
        return ChangeInPlace(record, of: object, for: recipients, newestNumber, isSilent: true)
    }

    /// Ends a change in place once the access has ended.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - read: Reads the new value.
    @inlinable @inline(__always)
    static func endInPlace<Value>(_ change: ChangeInPlace, reading read: () -> Value) {
        change.endAccess()
        let new: Value? = change.needsNew ? read() : nil
        ChangeValues.with(old: nil, new: new) { change.deliver(new: $0) }
    }
}
