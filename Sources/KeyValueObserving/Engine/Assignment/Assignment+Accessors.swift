// A property is changed by accessors of its class, which run code of the class: what the macros' accessors call.

/// A change of a property by the setter of its class: from before its code to after it.
///
/// The old value is read, and those are called who want to be called before the change; then the class's code sets the
/// property; then observers are called. A property that notifies manually is set silently.
@safe package struct AccessorChange<Object: KeyValueObservable, Value> {
    private let keyPath: KeyPath<Object, Value>
    private let object: Object
    private let isAutomatic: Bool
    private let record: PropertyRecord?
    /// The thread on which it began: an access in place may go on on another one.
    private let thread = ThisThread.number

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
    /// The access itself, which belongs to the change, or makes none if the property notifies manually.
    private let access: ChangeInPlace?

    /// Begins an access.
    package init(to keyPath: KeyPath<Object, Value>, of object: Object) {
        change = AccessorChange(of: keyPath, in: object)
        access = object.keyValueRegistrar.existingTable?.manualRecord(at: KeyPathName(keyPath)).map {
            Assignment.openCarefully($0, of: object)
        }
        access?.begin(old: nil)
    }

    /// Ends the access, and the change that it makes.
    package func end() {
        if let access {
            access.endAccess()
            access.deliver(new: ChangeValues(old: nil))
        }
        change.end()
    }
}
