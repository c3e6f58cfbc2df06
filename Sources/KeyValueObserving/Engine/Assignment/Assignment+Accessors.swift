// A property is changed by accessors of its class, which run code of the class: what the macros' accessors call.

/// A change of a property by the setter of its class: from before its code to after it.
///
/// The old value is read, and those are called who want to be called before the change; then the class's code sets the
/// property; then observers are called. A property that notifies manually is set silently.
@safe package struct AccessorChange<Object: KeyValueObservable, Value> {
    private let keyPath: KeyPath<Object, Value>
    private let object: Object
    fileprivate let isAutomatic: Bool
    private let record: PropertyRecord?
    /// The thread on which it began: an access in place may go on on another one.
    fileprivate let thread = ThisThread.number

    /// Begins a change.
    package init(of keyPath: KeyPath<Object, Value>, in object: Object) {
        self.keyPath = keyPath
        self.object = object
        isAutomatic = ClassPolicy.of(object).policy(of: keyPath).isAutomatic
        record = isAutomatic ? Assignment.will(keyPath, of: object) : nil
    }

    /// Ends the change.
    package func end() {
        if isAutomatic { Assignment.did(keyPath, of: object, .value, record, on: thread) }
    }
}

/// An access in place to a property by an accessor of its class.
///
/// The library does not read the property meanwhile, whatever else changes: the paths that depend on it wait.
@safe package struct AccessorAccess<Object: KeyValueObservable, Value> {
    private let change: AccessorChange<Object, Value>
    private let record: PropertyRecord?
    private let blocked: ContiguousArray<ObservedPath>
    /// The access, if the property notifies manually, so that no change goes with it.
    private let silentAccess: ChangeInPlace?

    /// Begins an access.
    package init(to keyPath: KeyPath<Object, Value>, of object: Object) {
        change = AccessorChange(of: keyPath, in: object)
        let record = object.keyValueRegistrar.existingTable?.manualRecord(at: KeyPathName(keyPath))
        self.record = record
        if change.isAutomatic {
            silentAccess = nil
            blocked = record?.beginAccess() ?? []
            for path in blocked { path.block() }
        } else {
            blocked = []
            silentAccess = record.map { Assignment.openCarefully($0, of: object) }
            silentAccess?.begin(old: nil)
        }
    }

    /// Ends the access, and the change that it makes.
    package func end() {
        if let silentAccess {
            silentAccess.endAccess()
            silentAccess.deliver(new: ChangeValues(old: nil))
        } else if let record {
            record.endAccess()
            let deferred = blocked.filter { $0.unblock() }
            let pending = record.pending(on: change.thread)
            pending?.becomeDirty()
            pending?.noteDeferred(Array(deferred))
            for end in record.takePostponedEnds() { Tracking.suspended(end) }
        }
        change.end()
    }
}
