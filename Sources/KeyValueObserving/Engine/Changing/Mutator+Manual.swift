// Announcing a change manually.

/// A property whose change is announced, without its types.
struct AnnouncedProperty {
    let object: any KeyValueObservable
    let keyPath: AnyKeyPath

    /// Reads the property through its observers, which know its type, if there are any; `box` is reused for the value.
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

/// A change that a class announces, with its source, which a path may release on another thread meanwhile.
struct AnnouncedChange {
    let mutation: Mutation
    let source: Source

    /// Whether it is open on this thread.
    var isOpenHere: Bool { source.openHere === mutation }
}

extension Mutator {
    /// Begins a change that a class announces.
    ///
    /// Nothing is recorded if its end would notify no observer. If only some elements change, `edit` says how, and
    /// `old` has the removed ones.
    ///
    /// - Returns: The change, or the one that it belongs to; nil if no observer is notified.
    @discardableResult
    static func will<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, edit: Edit? = nil, old: BoxedValue? = nil
    ) -> AnnouncedChange? {
        if Object._reportsPropertyAccesses { object.reportManualChange(.willChange, at: keyPath) }
        guard let table = object.keyValueRegistrar.existingTable else { return nil }
        let property = AnnouncedProperty(object: object, keyPath: keyPath)
        return Tracking.suspended { open(property, in: table, edit, old) }
    }

    private static func open(
        _ property: AnnouncedProperty, in table: ObservationTable, _ edit: Edit?, _ old: BoxedValue?
    ) -> AnnouncedChange? {
        let (object, name) = (property.object, KeyPathName(property.keyPath))
        let (manual, watch) = table.manualSourceAndWatch(at: name)
        var source = table.storedSource(at: name) ?? manual
        // The dependencies of a computed property notify by their own changes, unless setting them is silent.
        if source == nil, let watch, edit == nil || watch.attached.contains(where: { !$0.isManual && !$0.isAutomatic })
        {
            source = table.manualSource(at: name) { ClassDeclarations.of(object).description(ofManual: name.keyPath) }
        }
        guard let source else { return nil }
        checkManual(source, of: object)
        // Deliveries that it concerns are completed now: no handler may run between this and the end of the change.
        if ThisThread.isDelivering { Delivery.complete(concerning: source, and: watch) }
        if let open = source.openHere {
            open.announceInside()
            return AnnouncedChange(mutation: open, source: source)
        }
        guard let change = Mutation.announce(source, watch) else { return nil }
        if let old { change.old = old }
        if edit == nil, change.needsOld, !source.isAccessed { change.old = property.read(source, change.old) }
        change.deliverPrior(edit, ChangeValues(old: change.old), of: object)
        // A handler may have ended the change.
        if change.isAnnounced { change.dropRecipients() }
        return AnnouncedChange(mutation: change, source: source)
    }

    /// Ends a change that a class announces; does nothing if none began on the thread.
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

    /// Ends a change that `will` returned, on the thread on which an access to the property ends.
    ///
    /// If only some elements changed, `edit` says how, and `new` has the inserted ones.
    static func end(
        _ announced: AnnouncedChange, of property: AnnouncedProperty, edit: Edit? = nil, new: BoxedValue? = nil
    ) {
        let (object, source, change) = (property.object, announced.source, announced.mutation)
        defer { withExtendedLifetime(source) {} }
        guard change.isAnnounced, !change.endInside() else { return }
        Tracking.suspended {
            if ThisThread.isDelivering {
                Delivery.complete(concerning: source, and: change.ownWatch)
                // A handler called there may have ended the change.
                guard change.isAnnounced else { return }
            }
            // If the property is being accessed, the end of the access calls its observers.
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

    /// Traps for a property that several threads change, because it announces its own changes in their order.
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
