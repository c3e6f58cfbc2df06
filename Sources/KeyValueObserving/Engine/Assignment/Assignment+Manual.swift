// A change is announced manually.

/// A property whose change is announced; the functions of this file know no types.
struct AnnouncedProperty {
    let object: any KeyValueObservable
    let keyPath: AnyKeyPath

    /// Reads it as its observers do, who know its type, if there are any; into a box that is there for that.
    func read(_ source: Source?, _ box: BoxedValue? = nil) -> BoxedValue {
        if let reader = source?.reader { return reader(object, box) }
        func open<Value>(_: Value.Type) -> BoxedValue {
            guard let value = (object as Any)[keyPath: keyPath] as? Value else {
                preconditionFailure("the key path starts at the object")
            }
            return .holding(value)
        }
        return _openExistential(type(of: keyPath).valueType, do: open)
    }
}

extension Assignment {
    /// Begins a change that a class announces.
    ///
    /// Nothing is noted where nobody is notified if it ends. `elements` says how some elements change, and `old` which leave,
    /// if not the value as a whole.
    ///
    /// - Returns: The change, or the one that it belongs to; nil if nobody is notified.
    @discardableResult
    static func will<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, elements: ElementsChange? = nil, old: BoxedValue? = nil
    ) -> Change? {
        object.reportManualChange(.willChange, at: keyPath)
        // No handler may come between this and the end of the change.
        if ThisThread.isDelivering { Delivery.completeAll() }
        guard let table = object.keyValueRegistrar.existingTable, !table.hasEnded else { return nil }
        return begin(AnnouncedProperty(object: object, keyPath: keyPath), in: table, elements, old)
    }

    private static func begin(
        _ property: AnnouncedProperty, in table: ObservationTable, _ elements: ElementsChange?, _ old: BoxedValue?
    ) -> Change? { Tracking.suspended { open(property, in: table, elements, old) } }

    private static func open(
        _ property: AnnouncedProperty, in table: ObservationTable, _ elements: ElementsChange?, _ old: BoxedValue?
    ) -> Change? {
        let (object, name) = (property.object, KeyPathName(property.keyPath))
        let (manual, watch) = table.manualSourceAndWatch(at: name)
        var source = table.storedSource(at: name) ?? manual
        if source == nil, table.isWatched, !table.isAccessed {
            // It may be a stored property that nobody has read so far.
            let tracker = TargetTracker(root: object)
            _ = tracker.tracking { property.read(nil) }
            source = tracker.source(at: name)
        }
        if source == nil, watch != nil || table.isWatched {
            source = table.manualSource(at: name) { ClassPolicy.of(object).description(ofManual: name.keyPath) }
        }
        guard let source else { return nil }
        checkManual(source, of: object)
        if let open = Change.current(of: source) {
            open.announce()
            return open
        }
        watch?.belong(to: source)
        guard let change = Change.open(source, manually: true) else { return nil }
        (change.isAnnounced, change.announced) = (true, watch)
        if let old { change.old = old }
        if elements == nil, change.needsOld, !source.isAccessed { change.old = property.read(source, change.old) }
        change.deliverPrior(elements, ChangeValues(old: change.old), of: object)
        // A handler that was called may have ended it.
        if change.isAnnounced {
            watch?.hold()
            change.letGo()
        }
        return change
    }

    /// Ends a change that a class announces; nothing happens if it did not begin on the thread.
    static func did<Object: KeyValueObservable, Value>(_ keyPath: KeyPath<Object, Value>, of object: Object) {
        defer { object.reportManualChange(.didChange, at: keyPath) }
        guard let table = object.keyValueRegistrar.existingTable else { return }
        let name = KeyPathName(keyPath)
        let change =
            table.storedSource(at: name).flatMap { Change.current(of: $0) }
            ?? table.manualSource(at: name).flatMap { Change.current(of: $0) }
        if let change { end(change, of: AnnouncedProperty(object: object, keyPath: keyPath)) }
    }

    /// Ends a change that `will` returned, on whichever thread an access to the property ends.
    ///
    /// `elements` says how some elements changed, and `new` which came, if not the value as a whole.
    static func end(
        _ change: Change, of property: AnnouncedProperty, elements: ElementsChange? = nil, new: BoxedValue? = nil
    ) {
        if change.endAnnouncement() { return }
        guard change.isAnnounced else { return }
        let object = property.object
        Tracking.suspended {
            if ThisThread.isDelivering {
                Delivery.completeAll()
                // A handler that was called for that may have ended it.
                guard change.isAnnounced else { return }
            }
            if change.isAccessInside {
                // What is accessed in place must not be read.
                change.postponedEnd = { end(change, of: property) }
                return
            }
            // If another thread accesses the property in place, the end of that access calls the observers.
            change.isSilent = change.source.isAccessed
            change.isAnnounced = false
            change.announced?.release(from: change.thread)
            change.evaluate(of: object, ofElements: elements != nil)
            let needsWhole = elements == nil ? change.needsNew : change.needsWhole
            if needsWhole, !change.isSilent { change.new = property.read(change.source, change.new) }
            let whole = change.new
            change.deliver(
                elements, ChangeValues(old: change.old, new: elements == nil ? whole : new, whole: whole), of: object)
            withExtendedLifetime(new) {}
        }
    }

    /// Traps if a property announces its changes by itself, in the order in which several threads make them.
    private static func checkManual(_ source: Source, of object: AnyObject) {
        guard let description = source.description, description.isShared, description.policy.isAutomatic else { return }
        fatalError(
            """
            Changes of \(PropertyNames.text(of: description.keyPath)) of a \(TypeName.of(object)) cannot be announced manually: it is @ObservedShared and announces \
            them by itself. Set it without willChangeValue(for:) and didChangeValue(for:).
            """)
    }
}
