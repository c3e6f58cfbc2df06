// A property is set: from the store to the delivery.

/// Makes changes of properties that somebody observes.
///
/// What knows the type of the value is compiled with the classes that use it, once for each type. The rest is the same
/// for all types.
@usableFromInline
enum Mutator {
    /// How a change of a property of an observed object is made.
    @usableFromInline
    @safe enum Opening {
        /// Nobody is notified.
        case silent
        /// No code of others runs before these are called.
        case simple(Borrowed)
        /// With all precautions. The object that changes holds the source.
        case careful(Unretained<Source>)
    }

    /// Recipients that were borrowed, and the property they belong to; the object that changes is held.
    @frozen @usableFromInline
    @safe struct Borrowed {
        let source: Unretained<Source>
        let recipients: Unretained<Recipients>

        @usableFromInline
        func giveBack() { source.with { $0.giveBack(recipients) } }

        /// Whether nobody has come or gone since they were borrowed.
        @usableFromInline var areCurrent: Bool { source.with { source in recipients.with { source.isCurrent($0) } } }

        @usableFromInline var needsWhole: Bool { recipients.with { $0.needsWhole } }
    }

    /// Sets a property of an object of which some property is observed.
    @inlinable @inline(never)
    static func set<Value>(
        _ value: Value, at place: StoragePlace<Value>, of object: AnyObject, in table: UInt
    ) {
        // The value that is replaced is released at the end: it may be an object whose `deinit` reads the property.
        var stored = value
        switch open(place.property, in: table) {
        case .silent:
            place.exchange(&stored)
        case .simple(let borrowed):
            place.exchange(&stored)
            deliver(to: borrowed, of: object, nil, old: stored, new: value)
        case .careful(let source):
            source.with { setCarefully(value, at: place, of: object, $0) }
        }
    }

    /// Finds out how a change is made.
    ///
    /// What is still to be told on this thread of what the change concerns is told first.
    @usableFromInline
    static func open(_ property: PropertyIdentity, in table: UInt) -> Opening {
        guard let table = Unretained<ObservationTable>(at: table) else { return .silent }
        return table.with { table in
            guard table.mayObserve(property) else { return .silent }
            guard let source = table.unretainedSource(of: property) else { return .silent }
            if ThisThread.isDelivering {
                if ActiveDelivery.isAnyLeft, source.with({ $0.mayNotifyWhenSet }) {
                    Delivery.complete(concerning: source.object)
                }
                if Transaction.current != nil { return .careful(source) }
            }
            guard let recipients = source.with({ $0.borrowUnlessOpen() }) else { return .careful(source) }
            if recipients.with({ $0.areSimpleHere }) {
                return .simple(Borrowed(source: source, recipients: recipients))
            }
            source.with { $0.giveBack(recipients) }
            return .careful(source)
        }
    }

    /// Calls recipients that were borrowed with a change that was made, and gives them back.
    @inlinable @inline(__always)
    static func deliver<Value>(
        to recipients: Borrowed, of object: AnyObject, _ edit: Edit?, old: Value?, new: Value?
    ) {
        ChangeValues.with(old: old, new: new) { deliver(to: recipients, of: object, edit, $0) }
        extendLifetime(object)
    }

    @usableFromInline
    static func deliver(
        to borrowed: Borrowed, of object: AnyObject, _ edit: Edit?, _ values: ChangeValues
    ) {
        if _slowPath(IgnoredRegistrations.innermost != nil), let ignored = IgnoredRegistrations.innermost {
            borrowed.recipients.with { $0.miss(ignored) }
        }
        let event =
            _slowPath(EngineTrace.isReporting)
            ? borrowed.source.object.traceMade(of: object, edit, values) : .unreported
        Delivery.run(
            Delivery(
                to: borrowed.recipients, of: Unretained(object), edit.map { Unretained($0) }, values, event: event))
        if _slowPath(event.isReported) { EngineTrace.current?.end(event) }
        borrowed.giveBack()
    }

    /// Sets a property where code of others may run before the observers are called.
    @inlinable
    static func setCarefully<Value>(
        _ value: Value, at place: StoragePlace<Value>, of object: AnyObject, _ source: Source
    ) {
        var stored = value
        if let change = Transaction.join(source) {
            place.exchange(&stored)
            change.with { $0.note(old: stored, new: value) }
            return
        }
        guard let change = openMutation(source) else { return place.exchange(&stored) }
        Tracking.suspended {
            let old = change.needsOld ? place.read() : nil
            if change.hasPriors { ChangeValues.with(old: old, new: nil) { change.deliverPrior(nil, $0, of: object) } }
            place.exchange(&stored)
            change.evaluate(of: object)
            // It is read because a getter may have set it meanwhile.
            let new = change.needsNew ? place.read() : nil
            ChangeValues.with(old: old, new: new) { change.deliver(nil, $0, of: object) }
        }
        extendLifetime(object)
    }

    @usableFromInline
    static func openMutation(_ source: Source) -> Mutation? { Mutation.open(source) }
}

extension Mutator.Borrowed {
    /// Gives the recipients back before the change is made.
    @usableFromInline
    func endBorrowing() -> Unretained<Source> {
        giveBack()
        return source
    }
}
