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
        /// With all precautions.
        case careful(PropertyRecord)
    }

    /// Recipients that were borrowed, and the property they belong to; the object that changes is held.
    @frozen @usableFromInline
    @safe struct Borrowed {
        let record: Unmanaged<PropertyRecord>
        let recipients: Unmanaged<Recipients>

        func giveBack() {
            unsafe record._withUnsafeGuaranteedRef { unsafe $0.loan.giveBack(recipients) }
        }
    }

    /// Sets a property of an object of which some property is observed.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - place: Where the property is stored, found just now.
    ///   - object: The object.
    ///   - table: The address of its table.
    @inlinable @inline(never)
    static func set<Value>(_ value: Value, at place: StoragePlace<Value>, of object: AnyObject, in table: UInt) {
        // The value that is replaced is released at the end: it may be an object whose `deinit` reads the property.
        var stored = value
        // What is being delivered may run code of others now.
        let isAtOnce = !ThisThread.isDelivering
        switch open(place.property, in: table) {
        case .silent:
            if isAtOnce { place.exchangeAtOnce(&stored) } else { place.exchange(&stored) }
        case .simple(let borrowed):
            if isAtOnce { place.exchangeAtOnce(&stored) } else { place.exchange(&stored) }
            deliver(to: borrowed, of: object, nil, old: stored, new: value)
        case .careful(let record):
            setCarefully(value, at: place, of: object, record)
        }
    }

    /// Finds out how a change is made.
    ///
    /// What is being delivered on this thread is completed first, if the change is to be delivered too.
    @usableFromInline
    static func open(_ property: PropertyIdentity, in table: UInt) -> Opening {
        guard let address = unsafe UnsafeRawPointer(bitPattern: table) else { return .silent }
        let table = unsafe Unmanaged<ObservationTable>.fromOpaque(address)
        return unsafe table._withUnsafeGuaranteedRef { table in
            guard table.mayObserve(property) else { return .silent }
            var isInTransaction = false
            if ThisThread.isDelivering {
                Delivery.completeAll()
                isInTransaction = Transaction.current != nil
            }
            guard let record = unsafe table.unretainedRecord(of: property) else { return .silent }
            if isInTransaction { return unsafe .careful(record.takeUnretainedValue()) }
            return unsafe record._withUnsafeGuaranteedRef { record in
                guard let recipients = unsafe record.borrow() else { return .careful(record) }
                let borrowed = unsafe Borrowed(record: .passUnretained(record), recipients: recipients)
                if unsafe recipients._withUnsafeGuaranteedRef({ $0.areSimple }) { return .simple(borrowed) }
                borrowed.giveBack()
                return .careful(record)
            }
        }
    }

    /// Calls recipients that were borrowed with a change that was made, and gives them back.
    @inlinable
    static func deliver<Value>(
        to recipients: Borrowed, of object: AnyObject, _ elements: ElementsChange?, old: Value?, new: Value?
    ) {
        unsafe withUnsafePointer(to: old) { old in
            unsafe withUnsafePointer(to: new) { new in
                unsafe deliver(
                    to: recipients, of: object, elements, old: UnsafeRawPointer(old), new: UnsafeRawPointer(new))
            }
        }
        extendLifetime(object)
    }

    @usableFromInline
    static func deliver(
        to borrowed: Borrowed, of object: AnyObject, _ elements: ElementsChange?, old: UnsafeRawPointer,
        new: UnsafeRawPointer
    ) {
        unsafe Delivery.run(
            Delivery(
                to: borrowed.recipients, of: .passUnretained(object),
                elements: elements.map { unsafe .passUnretained($0) },
                old: old, new: new))
        borrowed.giveBack()
    }

    /// Sets a property where code of others may run before the observers are called.
    @inlinable
    static func setCarefully<Value>(
        _ value: Value, at place: StoragePlace<Value>, of object: AnyObject, _ record: PropertyRecord
    ) {
        var stored = value
        guard let change = CarefulChange.begin(record, of: object) else { return place.exchange(&stored) }
        Tracker.suspended {
            let old = change.needsOld ? place.read() : nil
            unsafe withUnsafePointer(to: old) { unsafe change.prepare(nil, old: UnsafeRawPointer($0)) }
            place.exchange(&stored)
            change.finish()
            // It is read because a getter may have set it meanwhile.
            let new = change.needsNew ? place.read() : nil
            unsafe withUnsafePointer(to: old) { old in
                unsafe withUnsafePointer(to: new) { new in
                    unsafe change.deliver(nil, old: UnsafeRawPointer(old), new: UnsafeRawPointer(new))
                }
            }
        }
    }
}
