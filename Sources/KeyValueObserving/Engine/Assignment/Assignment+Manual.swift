// A change is announced manually.

extension Assignment {
    /// Begins a change that a class announces.
    ///
    /// Nothing is noted where nobody is notified if it ends.
    ///
    /// - Parameters:
    ///   - keyPath: What changes.
    ///   - object: Whose it is.
    ///   - elements: How some elements change, and those that leave, if not the value as a whole.
    /// - Returns: The change, or the one that it belongs to; nil if nobody is notified.
    @discardableResult
    static func will<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, elements: (change: ElementsChange, old: Value?)? = nil
    ) -> Change? {
        object.reportManualChange(.willChange, at: keyPath)
        // No handler may come between this and the end of the change.
        if ThisThread.isDelivering { Delivery.completeAll() }
        guard let table = object.keyValueRegistrar.existingTable, !table.hasEnded else { return nil }
        return Tracking.suspended {
            let name = KeyPathName(keyPath)
            let (manual, watch) = table.manualSourceAndWatch(at: name)
            var source = table.storedSource(at: name) ?? manual
            if source == nil, table.isWatched, !table.isAccessed {
                // It may be a stored property that nobody has read so far.
                let tracker = TargetTracker(root: object)
                _ = tracker.tracking { object[keyPath: keyPath] }
                source = tracker.source(at: name)
            }
            if source == nil, watch != nil || table.isWatched {
                source = table.manualSource(at: name) { ClassPolicy.of(object).description(ofManual: keyPath) }
            }
            guard let source else { return nil }
            checkManual(source, of: object)
            if let open = Change.current(of: source) {
                open.announce()
                return open
            }
            watch?.belong(to: source)
            guard let change = Change.open(source, manually: true) else { return nil }
            (change.isAnnounced, change.reports.announced) = (true, watch)
            if let elements {
                change.old = elements.old.map { .holding($0) }
            } else if change.needsOld, !source.isAccessed {
                change.old = .holding(object[keyPath: keyPath])
            }
            change.deliverPrior(elements?.change, ChangeValues(old: change.old), of: object)
            // A handler that was called may have ended it.
            if change.isAnnounced {
                watch?.hold()
                change.letGo()
            }
            return change
        }
    }

    /// Ends a change that a class announces; nothing happens if it did not begin on the thread.
    static func did<Object: KeyValueObservable, Value>(_ keyPath: KeyPath<Object, Value>, of object: Object) {
        defer { object.reportManualChange(.didChange, at: keyPath) }
        guard let table = object.keyValueRegistrar.existingTable else { return }
        let name = KeyPathName(keyPath)
        func isOpen(_ source: Source) -> Change? { Change.current(of: source) }
        let change = table.storedSource(at: name).flatMap(isOpen) ?? table.manualSource(at: name).flatMap(isOpen)
        if let change { end(change, of: keyPath, in: object) }
    }

    /// Ends a change that was announced, on whichever thread an access to the property ends.
    ///
    /// - Parameters:
    ///   - change: What `will` returned.
    ///   - keyPath: What changed.
    ///   - object: Whose it is.
    ///   - elements: How some elements changed, and those that came, if not the value as a whole.
    static func end<Object: KeyValueObservable, Value>(
        _ change: Change, of keyPath: KeyPath<Object, Value>, in object: Object,
        elements: (change: ElementsChange, new: Value?)? = nil
    ) {
        if change.endAnnouncement() { return }
        guard change.isAnnounced else { return }
        let source = change.source
        Tracking.suspended {
            if ThisThread.isDelivering {
                Delivery.completeAll()
                // A handler that was called for that may have ended it.
                guard change.isAnnounced else { return }
            }
            if source.isAccessed {
                // What is accessed in place must not be read.
                change.postponedEnd = { end(change, of: keyPath, in: object) }
                return
            }
            change.isAnnounced = false
            change.reports.announced?.release(from: change.thread)
            // What was set between the two calls is what was announced.
            _ = change.takeJoined()
            change.evaluate(of: object, ofElements: elements != nil)
            let isRead = elements == nil ? change.needsNew : change.needsWhole
            let whole: Value? = isRead ? object[keyPath: keyPath] : nil
            ChangeValues.with(old: nil, new: elements.map { $0.new } ?? whole, whole: whole) { values in
                change.deliver(elements?.change, values.with(old: change.old), of: object)
            }
        }
    }

    /// Traps if a property announces its changes by itself, in the order in which several threads make them.
    private static func checkManual(_ source: Source, of object: AnyObject) {
        guard let description = source.description, description.isShared, description.policy.isAutomatic else { return }
        let name = description.keyPath.map { PropertyNames.text(of: $0) } ?? "a property"
        fatalError(
            """
            Changes of \(name) of a \(TypeName.of(object)) cannot be announced manually: it is @ObservedShared and announces \
            them by itself. Set it without willChangeValue(for:) and didChangeValue(for:).
            """)
    }
}
