// Setting a property, from the store to the delivery.

/// Makes changes of observed properties.
///
/// Functions that know the type of the value are compiled with the classes that use them, once for each type. The
/// others are the same for all types.
@usableFromInline
enum Mutator {
    /// The ways to change a property of an observed object.
    @usableFromInline
    @safe enum Opening {
        /// No observer is notified.
        case silent
        /// No code of users runs before these recipients are called.
        case simple(Borrowed)
        /// The change takes all precautions. The changing object holds the source.
        case careful(Unretained<Source>)
    }

    /// Borrowed recipients, and the property they belong to; the changing object holds both.
    @frozen @usableFromInline
    @safe struct Borrowed {
        let source: Unretained<Source>
        let recipients: Unretained<Recipients>

        @usableFromInline
        func giveBack() { source.with { $0.giveBack(recipients) } }

        /// Whether no registration was added or removed since they were borrowed.
        @usableFromInline var areCurrent: Bool { source.with { source in recipients.with { source.isCurrent($0) } } }

        @usableFromInline var needsWhole: Bool { recipients.with { $0.needsWhole } }
    }

    /// Sets a property of an object that has observers.
    @inlinable @inline(never)
    static func set<Value>(
        _ value: Value, at place: StoragePlace<Value>, of object: AnyObject, in table: UInt
    ) {
        // The old value is released at the end, because it may be an object whose `deinit` reads the property.
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

    /// Completes the deliveries under way on this thread that a change concerns.
    ///
    /// - Returns: Whether an open transaction keeps the change.
    @inline(never)
    fileprivate static func isKept(_ source: Unretained<Source>) -> Bool {
        if ActiveDelivery.isAnyLeft, source.with({ $0.isAutomatic }) {
            Delivery.complete(concerning: source.object)
        }
        return Transaction.current != nil
    }

    /// Calls borrowed recipients with a change that was made, and gives them back.
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

    /// Sets a property if code of users may run before the observers are called; afterwards, `value` is the old value.
    ///
    /// It is not compiled with the classes that use it, because that would take most of their compile time. Boxes keep
    /// the values of the change, because an optional would need metadata of its type, which would have to be looked up.
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
            // The property is read because a getter may have set it meanwhile.
            if change.needsNew { change.keepNew(place) }
            change.deliver(nil, change.kept, of: object)
        }
        extendLifetime(object)
    }
}

// These are instance methods, because the compiler calls a static one through a thunk that leaves out the type.
extension PropertyIdentity {
    /// Finds the way to make a change.
    ///
    /// It first completes the deliveries under way on this thread that the change concerns.
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
