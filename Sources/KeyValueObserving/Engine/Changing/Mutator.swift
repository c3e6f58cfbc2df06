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
        switch place.property.openChange(in: table) {
        case .silent:
            place.exchange(&stored)
        case .simple(let borrowed):
            place.exchange(&stored)
            deliver(to: borrowed, of: object, old: stored, new: value)
        case .careful(let source):
            guard let change = Transaction.join(source) else {
                return setCarefully(&stored, at: place, of: object, source)
            }
            place.exchange(&stored)
            if let kept = unsafe change.placeOfNew {
                unsafe kept.bindMemory(to: Value.self, capacity: 1).pointee = value
            } else {
                change.noteFirst(old: stored, new: value)
            }
        }
    }

    /// Completes what is still to be delivered on this thread of what a change concerns.
    ///
    /// - Returns: Whether a transaction is open that keeps the change.
    @inline(never)
    fileprivate static func isKept(_ source: Unretained<Source>) -> Bool {
        if ActiveDelivery.isAnyLeft, source.with({ $0.mayNotifyWhenSet }) {
            Delivery.complete(concerning: source.object)
        }
        return Transaction.current != nil
    }

    /// Calls recipients that were borrowed with a change that was made, and gives them back.
    @inlinable @inline(__always)
    static func deliver<Value>(
        to recipients: Borrowed, of object: AnyObject, old: Value, new: Value
    ) {
        var old: Value? = old
        var new: Value? = new
        unsafe _withUnprotectedUnsafeMutablePointer(to: &old) { old in
            unsafe _withUnprotectedUnsafeMutablePointer(to: &new) { new in
                unsafe recipients.deliver(
                    nil, ChangeValues(old: UnsafeRawPointer(old), new: UnsafeRawPointer(new)), of: object)
            }
        }
        extendLifetime(object)
    }

    /// Sets a property where code of others may run before the observers are called; `value` is the old one after that.
    ///
    /// It is not compiled with the classes that use it, which would take most of their time. So the values of the change are
    /// kept in boxes: an optional would need metadata of its type, which has to be looked up.
    @usableFromInline
    static func setCarefully<Value>(
        _ value: inout Value, at place: StoragePlace<Value>, of object: AnyObject, _ source: Unretained<Source>
    ) {
        guard let change = source.with({ Mutation.open($0) }) else { return place.exchange(&value) }
        Tracking.suspended {
            if change.needsOld { change.keepOld(place) }
            if change.hasPriors { change.deliverPrior(nil, change.kept, of: object) }
            place.exchange(&value)
            change.evaluate(of: object)
            // It is read because a getter may have set it meanwhile.
            if change.needsNew { change.keepNew(place) }
            change.deliver(nil, change.kept, of: object)
        }
        extendLifetime(object)
    }
}

// These are methods because the compiler calls a static one through another one, which leaves out the type.
extension PropertyIdentity {
    /// Finds out how a change is made.
    ///
    /// What is still to be delivered on this thread of what the change concerns is delivered first.
    @usableFromInline
    func openChange(in table: UInt) -> Mutator.Opening {
        guard let table = Unretained<ObservationTable>(at: table) else { return .silent }
        return table.with { table in
            guard table.mayObserve(self) else { return .silent }
            guard let source = table.unretainedSource(of: self) else { return .silent }
            if ThisThread.isDelivering, Mutator.isKept(source) { return .careful(source) }
            guard let recipients = source.with({ $0.borrowUnlessOpen() }) else { return .careful(source) }
            if recipients.with({ $0.areSimple }) {
                return .simple(Mutator.Borrowed(source: source, recipients: recipients))
            }
            source.with { $0.giveBack(recipients) }
            return .careful(source)
        }
    }
}

extension Mutator.Borrowed {
    /// Calls the recipients with a change that was made, and gives them back.
    @usableFromInline
    func deliver(_ edit: Edit?, _ values: ChangeValues, of object: AnyObject) {
        if _slowPath(IgnoredRegistrations.innermost != nil), let ignored = IgnoredRegistrations.innermost {
            recipients.with { $0.miss(ignored) }
        }
        if EngineTrace.isOn { return deliverTraced(edit, values, of: object) }
        Delivery.runHere(Delivery(to: recipients, of: Unretained(object), edit.map { Unretained($0) }, values))
        giveBack()
    }

    @inline(never)
    private func deliverTraced(_ edit: Edit?, _ values: ChangeValues, of object: AnyObject) {
        let event = source.object.traceMade(of: object, edit, values)
        Delivery.run(
            Delivery(to: recipients, of: Unretained(object), edit.map { Unretained($0) }, values, event: event),
            oneByOne: event.isReported)
        if event.isReported { EngineTrace.current?.end(event) }
        giveBack()
    }

    /// Gives the recipients back before the change is made.
    @usableFromInline
    func endBorrowing() -> Unretained<Source> {
        giveBack()
        return source
    }
}
