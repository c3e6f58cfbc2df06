// A property is set: from the store to the delivery.

/// Makes changes of properties that somebody observes.
///
/// What knows the type of the value is compiled with the classes that use it, once for each type. The rest is the same
/// for all types.
@usableFromInline
enum Assignment {
    /// How a change of a property of an observed object is made.
    @usableFromInline
    @safe enum Opening {
        /// Nobody is notified.
        case silent
        /// No code of others runs before these are called.
        case simple(Borrowed)
        /// With all precautions. The object that changes holds the record; the recipients may be borrowed.
        case careful(Unretained<PropertyRecord>, Unretained<Recipients>?)
    }

    /// Recipients that were borrowed, and the property they belong to; the object that changes is held.
    @frozen @usableFromInline
    @safe struct Borrowed {
        let record: Unretained<PropertyRecord>
        let recipients: Unretained<Recipients>

        @usableFromInline
        func giveBack() { record.with { $0.giveBack(recipients) } }

        /// Whether nobody has come or gone since, and no change under way concerns one of the paths.
        ///
        /// In this order: a change that leads a path away has it leave the property before that change ends.
        @usableFromInline var areStillSimple: Bool {
            recipients.with { $0.areSimple } && record.with { $0.isLent(recipients) }
        }
    }

    /// Sets a property of an object of which some property is observed.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - place: Where the property is stored, found just now.
    ///   - object: The object.
    ///   - table: The address of its table.
    ///   - keyPath: Makes the property's key path, for those who watch all properties.
    @inlinable @inline(never)
    static func set<Value>(
        _ value: Value, at place: StoragePlace<Value>, of object: AnyObject, in table: UInt,
        named keyPath: () -> AnyKeyPath
    ) {
        if _slowPath(isWatched(table)) { watch(place.property, of: object, in: table, keyPath()) }
        // The value that is replaced is released at the end: it may be an object whose `deinit` reads the property.
        var stored = value
        switch open(place.property, in: table) {
        case .silent:
            place.exchange(&stored)
        case .simple(let borrowed):
            place.exchange(&stored)
            deliver(to: borrowed, of: object, nil, old: stored, new: value)
        case .careful(let record, let borrowed):
            record.with { setCarefully(value, at: place, of: object, $0, borrowed) }
        }
    }

    /// Finds out how a change is made.
    ///
    /// What is being delivered on this thread is completed first, if the change is to be delivered too.
    @usableFromInline
    static func open(_ property: PropertyIdentity, in table: UInt) -> Opening {
        guard let table = Unretained<ObservationTable>(at: table) else { return .silent }
        return table.with { table in
            guard table.mayObserve(property) else { return .silent }
            var isInTransaction = false
            if ThisThread.isDelivering {
                if let record = table.unretainedRecord(of: property), !record.with({ $0.mayNotifyWhenSet }) {
                    return .careful(record, nil)
                }
                Delivery.completeAll()
                isInTransaction = Transaction.current != nil
            }
            guard let record = table.unretainedRecord(of: property) else { return .silent }
            if isInTransaction { return .careful(record, nil) }
            guard let recipients = record.with({ $0.borrow() }) else { return .careful(record, nil) }
            if recipients.with({ $0.areSimple }) { return .simple(Borrowed(record: record, recipients: recipients)) }
            return .careful(record, recipients)
        }
    }

    /// Calls recipients that were borrowed with a change that was made, and gives them back.
    @inlinable
    static func deliver<Value>(
        to recipients: Borrowed, of object: AnyObject, _ elements: ElementsChange?, old: Value?, new: Value?
    ) {
        ChangeValues.with(old: old, new: new) { deliver(to: recipients, of: object, elements, $0) }
        extendLifetime(object)
    }

    @usableFromInline
    static func deliver(
        to borrowed: Borrowed, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        if _slowPath(EngineTrace.isOn) { return deliverTraced(to: borrowed, of: object, elements, values) }
        call(borrowed, of: object, elements, values)
    }

    /// Calls recipients that were borrowed, and gives them back.
    @inline(__always)
    static func call(
        _ borrowed: Borrowed, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        Delivery.run(
            Delivery(
                to: borrowed.recipients, of: Unretained(object), elements: elements.map(Unretained.init), values))
        borrowed.giveBack()
    }

    /// Sets a property where code of others may run before the observers are called.
    @inlinable
    static func setCarefully<Value>(
        _ value: Value, at place: StoragePlace<Value>, of object: AnyObject, _ record: PropertyRecord,
        _ borrowed: Unretained<Recipients>?
    ) {
        var stored = value
        if borrowed == nil, case .joined(let change) = Sink.join(record, of: object) {
            place.exchange(&stored)
            change?.with { $0.note(old: stored, new: value) }
            return
        }
        guard let change = CarefulChange.begin(record, borrowed, of: object) else { return place.exchange(&stored) }
        Tracking.suspended {
            let old = change.needsOld ? place.read() : nil
            ChangeValues.with(old: old) { change.prepare(nil, $0) }
            place.exchange(&stored)
            change.finish()
            // It is read because a getter may have set it meanwhile.
            let new = change.needsNew ? place.read() : nil
            ChangeValues.with(old: old, new: new) { change.deliver(nil, $0) }
        }
    }
}
