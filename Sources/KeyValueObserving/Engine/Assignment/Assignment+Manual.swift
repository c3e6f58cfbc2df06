// A change is announced manually.

extension Assignment {
    /// Begins a change that a class announces.
    ///
    /// - Parameters:
    ///   - keyPath: What changes.
    ///   - object: Whose it is.
    ///   - subject: What of it changes.
    ///   - elements: Works out which elements are concerned, if not the value as a whole.
    static func will<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ subject: ManualChange<Value>.Subject = .value,
        elements: ((Value) -> ManualChange<Value>.Elements)? = nil
    ) {
        if Object.reportsPropertyAccesses {
            Object.reportPropertyAccess(.willChange, of: object, at: keyPath, Value.self)
        }
        // A path may be led to the property before the change ends, although nobody has ever observed the object.
        let table = object.keyValueRegistrar.table()
        Tracker.suspended {
            let name = KeyPathName(keyPath)
            if ThisThread.isDelivering {
                let isObserved =
                    table.path(at: name) != nil
                    || record(at: name, keyPath, of: object, in: table, isNeeded: false)?.isUsed ?? false
                if isObserved { Delivery.completeAll() }
            }
            // What was completed may have brought other observers.
            let path = table.path(at: name)
            // While what the path depends on is accessed in place, it must not be read: the access notifies then.
            if let path, path.deferWhileAccessed() { return }
            while let record = record(at: name, keyPath, of: object, in: table, isNeeded: true),
                !ManualChange.begin(record, path, of: object, at: keyPath, subject, elements)
            {}
        }
    }

    /// Ends a change that a class announces; nothing happens if it did not begin on this thread.
    ///
    /// - Parameters:
    ///   - keyPath: What changed.
    ///   - object: Whose it is.
    ///   - subject: What of it changed.
    ///   - wholeOld: The value before the change, if that turned out to be one of the whole.
    static func did<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ subject: ManualChange<Value>.Subject = .value,
        wholeOld: Value? = nil
    ) {
        defer {
            if Object.reportsPropertyAccesses {
                Object.reportPropertyAccess(.didChange, of: object, at: keyPath, Value.self)
            }
        }
        guard let table = object.keyValueRegistrar.existingTable else { return }
        Tracker.suspended {
            let name = KeyPathName(keyPath)
            // The change may have begun before the property was found by this key path, or before it was known
            // otherwise.
            let pending =
                table.manualRecord(at: name)?.pendingOnThisThread()
                ?? RegistrationTarget.property(keyPath, of: object, in: table)?.pendingOnThisThread()
            guard let change = pending as? ManualChange<Value> else { return }
            Delivery.completeAll()
            // A handler that was called for that may have ended it.
            guard change.record.pendingOnThisThread() === change else { return }
            change.end(of: object, at: keyPath, subject, wholeOld: wholeOld)
        }
    }

    /// The record of the property that a key path names.
    ///
    /// - Parameters:
    ///   - name: The key path, with its hash.
    ///   - keyPath: The same.
    ///   - object: The object.
    ///   - table: The object's table.
    ///   - isNeeded: Whether to make one if there is none.
    /// - Returns: The record, which may be there although nobody uses it any more; nil if there is none.
    static func record<Object: KeyValueObservable, Value>(
        at name: KeyPathName, _ keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable,
        isNeeded: Bool
    ) -> PropertyRecord? {
        if let record = table.manualRecord(at: name) { return record }
        if let record = RegistrationTarget.property(keyPath, of: object, in: table) { return record }
        guard isNeeded else { return nil }
        return table.manualRecord(at: name) { PropertyDescription(manual: keyPath, of: object) }
    }
}
