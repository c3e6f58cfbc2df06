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

/// A change that a class announces, with its source, which a path may let go of on another thread meanwhile.
struct AnnouncedChange {
    let mutation: Mutation
    let source: Source

    /// Whether it has not ended, on this thread.
    var isOpenHere: Bool { source.openHere === mutation }
}

extension Mutator {
    /// Begins a change that a class announces.
    ///
    /// Nothing is noted where nobody is notified if it ends. `edit` says how some elements change, and `old` which leave,
    /// if not the value as a whole.
    ///
    /// - Returns: The change, or the one that it belongs to; nil if nobody is notified.
    @discardableResult
    static func will<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, edit: Edit? = nil, old: BoxedValue? = nil
    ) -> AnnouncedChange? {
        if Object._reportsPropertyAccesses { object.reportManualChange(.willChange, at: keyPath) }
        guard let table = object.keyValueRegistrar.existingTable, !table.hasEnded else { return nil }
        let property = AnnouncedProperty(object: object, keyPath: keyPath)
        return Tracking.suspended { open(property, in: table, edit, old) }
    }

    private static func open(
        _ property: AnnouncedProperty, in table: ObservationTable, _ edit: Edit?, _ old: BoxedValue?
    ) -> AnnouncedChange? {
        let (object, name) = (property.object, KeyPathName(property.keyPath))
        let (manual, watch) = table.manualSourceAndWatch(at: name)
        var source = table.storedSource(at: name) ?? manual
        // What a property is computed from notifies by its own changes, unless setting it is silent.
        if source == nil, let watch, edit == nil || watch.attached.contains(where: { !$0.isManual && !$0.isAutomatic })
        {
            source = table.manualSource(at: name) { ClassDeclarations.of(object).description(ofManual: name.keyPath) }
        }
        guard let source else { return nil }
        checkManual(source, of: object)
        // What it concerns is delivered now: no handler may come between this and the end of the change.
        if ThisThread.isDelivering { Delivery.complete(concerning: source, and: watch) }
        if let open = source.openHere {
            open.announceInside()
            return AnnouncedChange(mutation: open, source: source)
        }
        guard let change = Mutation.announce(source, watch) else { return nil }
        if let old { change.old = old }
        if edit == nil, change.needsOld, !source.isAccessed { change.old = property.read(source, change.old) }
        change.deliverPrior(edit, ChangeValues(old: change.old), of: object)
        // A handler that was called may have ended it.
        if change.isAnnounced { change.dropRecipients() }
        return AnnouncedChange(mutation: change, source: source)
    }

    /// Ends a change that a class announces; nothing happens if it did not begin on the thread.
    static func did<Object: KeyValueObservable, Value>(_ keyPath: KeyPath<Object, Value>, of object: Object) {
        defer { if Object._reportsPropertyAccesses { object.reportManualChange(.didChange, at: keyPath) } }
        guard let table = object.keyValueRegistrar.existingTable else { return }
        let name = KeyPathName(keyPath)
        func current(of source: Source?) -> AnnouncedChange? {
            source.flatMap { source in source.openHere.map { AnnouncedChange(mutation: $0, source: source) } }
        }
        let change = current(of: table.storedSource(at: name)) ?? current(of: table.manualSourceAndWatch(at: name).0)
        if let change { end(change, of: AnnouncedProperty(object: object, keyPath: keyPath)) }
    }

    /// Ends a change that `will` returned, on whichever thread an access to the property ends.
    ///
    /// `edit` says how some elements changed, and `new` which came, if not the value as a whole.
    static func end(
        _ announced: AnnouncedChange, of property: AnnouncedProperty, edit: Edit? = nil, new: BoxedValue? = nil
    ) {
        let (object, source, change) = (property.object, announced.source, announced.mutation)
        defer { withExtendedLifetime(source) {} }
        guard change.isAnnounced, !change.endInside() else { return }
        Tracking.suspended {
            if ThisThread.isDelivering {
                Delivery.complete(concerning: source, and: change.ownWatch)
                // A handler that was called for that may have ended it.
                guard change.isAnnounced else { return }
            }
            // The end of an access in place calls the observers of a property that is accessed now.
            change.isSilent = source.isAccessed
            change.evaluate(of: object, ofElements: edit != nil)
            let needsWhole = edit == nil ? change.needsNew : change.needsWhole
            if needsWhole, !change.isSilent { change.new = property.read(source, change.new) }
            let whole = change.new
            change.deliver(
                edit, ChangeValues(old: change.old, new: edit == nil ? whole : new, whole: whole), of: object)
            withExtendedLifetime(new) {}
        }
    }

    /// Traps if a property announces its changes by itself, in the order in which several threads make them.
    private static func checkManual(_ source: Source, of object: AnyObject) {
        let description = source.description
        guard description.line != nil, description.policy.isAutomatic else { return }
        fatalError(
            """
            Changes of \(PropertyNames.text(of: description.keyPath)) of a \(TypeName.of(object)) cannot be announced manually: it is @ObservedShared and announces \
            them by itself. Set it without willChangeValue(for:) and didChangeValue(for:).
            """)
    }
}
