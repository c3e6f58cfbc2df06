// A change is announced manually.

extension Assignment {
    /// Begins a change that a class announces.
    ///
    /// - Parameters:
    ///   - keyPath: What changes.
    ///   - object: Whose it is.
    ///   - subject: What of it changes.
    ///   - elements: Works out which elements are concerned, if not the value as a whole.
    /// - Returns: The record that knows the change; nil if nobody observes the object, or if that is gone.
    @discardableResult
    static func will<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ subject: ManualChange.Subject = .value,
        elements: ((BoxedValue) -> ManualChange.Elements)? = nil
    ) -> PropertyRecord? {
        object.reportManualChange(.willChange, at: keyPath)
        // A path may be led to the property before the change ends, although nobody has ever observed the object.
        let table = object.keyValueRegistrar.table()
        return Tracking.suspended {
            // Also where nobody observes the property: no handler may come between this and the end of the change.
            Delivery.completeAll()
            if subject.isWhole, table.begin(announcement(at: keyPath, of: object)) { return nil }
            let name = KeyPathName(keyPath)
            let path = table.path(at: name)
            findWatched(name, keyPath, of: object, in: table)
            // Nothing is kept for an object that is gone, whose registrar may be another one each time: the end of the
            // change would not find it.
            while !table.hasEnded {
                let record = record(at: name, keyPath, of: object, in: table)
                checkManual(record, of: object)
                watch(record, in: table, keyPath)
                if ManualChange.begin(record, path, of: object, at: keyPath, subject, elements) { return record }
            }
            return nil
        }
    }

    /// Ends a change that a class announces; nothing happens if it did not begin on the thread.
    ///
    /// - Parameters:
    ///   - keyPath: What changed.
    ///   - object: Whose it is.
    ///   - subject: What of it changed.
    ///   - known: The record that knew the change when it began, if that is at hand.
    ///   - thread: The thread on which it began.
    ///   - wholeOld: The value before the change, if that turned out to be one of the whole.
    static func did<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ subject: ManualChange.Subject = .value,
        _ known: PropertyRecord? = nil, on thread: UInt64 = ThisThread.number, wholeOld: BoxedValue? = nil
    ) {
        defer { object.reportManualChange(.didChange, at: keyPath) }
        guard let table = object.keyValueRegistrar.existingTable else { return }
        Tracking.suspended {
            if known == nil, table.endAnnouncement(of: keyPath, on: thread) {
                if !subject.isWhole { ManualChange.trap(.value, subject, object) }
                return
            }
            guard let change = known?.pending(on: thread) ?? pending(keyPath, of: object, in: table, on: thread),
                let change = change as? ManualChange
            else { return }
            if ThisThread.isDelivering {
                Delivery.completeAll()
                // A handler that was called for that may have ended it.
                guard change.record.pending(on: thread) === change else { return }
            }
            change.end(of: object, at: keyPath, subject, wholeOld: wholeOld)
        }
    }

    /// Traps if a property announces its changes by itself, in the order in which several threads make them.
    private static func checkManual(_ record: PropertyRecord, of object: AnyObject) {
        guard let description = record.description, description.isShared, description.policy.isAutomatic else { return }
        let name = description.keyPath.map { PropertyNames.text(of: $0) } ?? "a property"
        fatalError(
            """
            Changes of \(name) of a \(TypeName.of(object)) cannot be announced manually: it is @ObservedShared and announces \
            them by itself. Set it without willChangeValue(for:) and didChangeValue(for:).
            """)
    }

    /// What is noted of a change while nobody observes the object.
    private static func announcement<Object: KeyValueObservable, Value>(
        at keyPath: KeyPath<Object, Value>, of object: Object
    ) -> Announcement {
        Announcement(
            keyPath: keyPath, thread: ThisThread.number, root: Object.self, type: type(of: object),
            change: ManualChange.init(ofUnobserved:on:))
    }

    /// The pending change of a property that began on a thread.
    private static func pending<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable, on thread: UInt64
    ) -> PendingChange? {
        // The change may have begun before the property was found by this key path, or before it was known otherwise.
        let name = KeyPathName(keyPath)
        return table.manualRecord(at: name)?.pending(on: thread)
            ?? RegistrationTarget.property(name, keyPath, of: object, in: table, for: .changing)?.pending(on: thread)
    }

    /// The record of the property that a key path names.
    ///
    /// - Parameters:
    ///   - name: The key path, with its hash.
    ///   - keyPath: The same.
    ///   - object: The object.
    ///   - table: The object's table.
    /// - Returns: The record, which is made if there is none.
    private static func record<Object: KeyValueObservable, Value>(
        at name: KeyPathName, _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable
    ) -> PropertyRecord {
        if let record = table.manualRecord(at: name) { return record }
        if let record = RegistrationTarget.property(name, keyPath, of: object, in: table, for: .changing) {
            return record
        }
        return table.manualRecord(at: name) {
            ClassPolicy.of(object).description(ofManual: keyPath, from: Object.self)
        }
    }
}
