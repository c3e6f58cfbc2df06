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
        _ value: Value, at place: StoragePlace<Value>, of object: AnyObject, in table: UInt,
        named keyPath: () -> AnyKeyPath
    ) {
        // The value that is replaced is released at the end: it may be an object whose `deinit` reads the property.
        var stored = value
        switch open(place.property, of: object, in: table, named: keyPath) {
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
    /// What is being delivered on this thread is completed first, if the change is to be delivered too.
    @usableFromInline
    static func open(
        _ property: PropertyIdentity, of object: AnyObject, in table: UInt, named keyPath: () -> AnyKeyPath
    ) -> Opening {
        guard let table = Unretained<ObservationTable>(at: table) else { return .silent }
        return table.with { table in
            guard table.mayObserve(property) else { return .silent }
            if _slowPath(table.isWatched) { describe(property, of: object, in: table, keyPath) }
            guard let source = table.unretainedSource(of: property) else { return .silent }
            if ThisThread.isDelivering {
                if Transaction.isInnermost { return .careful(source) }
                guard source.with({ $0.mayNotifyWhenSet }) || table.isWatched else { return .careful(source) }
                Delivery.completeAll()
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

    /// Has the source of a property of an object known, all of whose properties somebody observes.
    private static func describe(
        _ property: PropertyIdentity, of object: AnyObject, in table: ObservationTable, _ keyPath: () -> AnyKeyPath
    ) {
        if let source = table.unretainedSource(of: property), source.with({ $0.keyPath != nil }) { return }
        guard let object = object as? any KeyValueObservable else { return }
        _ = table.source(of: property) {
            let keyPath = keyPath()
            return PropertyDescription(keyPath, ClassPolicy.of(object).policy(of: keyPath), isPartial: true)
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
        defer { borrowed.giveBack() }
        let ignored = IgnoredRegistrations.innermost
        if _slowPath(ignored != nil) { miss(borrowed, elements, values) }
        let event =
            _slowPath(EngineTrace.isReporting)
            ? borrowed.source.object.traceMade(of: object, elements, values) : .unreported
        Delivery.run(
            Delivery(
                to: borrowed.recipients, of: Unretained(object), elements.map { Unretained($0) }, ignoring: ignored,
                values, event: event))
        if _slowPath(event.isReported) { EngineTrace.current?.end(event) }
    }

    /// Notes that registrations that the thread ignores miss a change.
    private static func miss(_ borrowed: Borrowed, _ elements: ElementsChange?, _ values: ChangeValues) {
        let source = borrowed.source.object
        borrowed.recipients.with {
            $0.miss(IgnoredRegistrations.innermost, upTo: .max) { elements == nil ? source.boxed(values).old : nil }
        }
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
        guard let change = openChange(source) else { return place.exchange(&stored) }
        Tracking.suspended {
            let old = change.needsOld ? place.read() : nil
            ChangeValues.with(old: old, new: nil) { change.deliverPrior(nil, $0, of: object) }
            place.exchange(&stored)
            change.evaluate(of: object)
            // It is read because a getter may have set it meanwhile.
            let new = change.needsNew ? place.read() : nil
            ChangeValues.with(old: old, new: new) { change.deliver(nil, $0, of: object) }
        }
        extendLifetime(object)
    }

    @usableFromInline
    static func openChange(_ source: Source) -> Change? { Change.open(source) }
}

extension Assignment.Borrowed {
    /// Gives the recipients back before the change is made.
    @usableFromInline
    func endBorrowing() -> Unretained<Source> {
        giveBack()
        return source
    }
}
