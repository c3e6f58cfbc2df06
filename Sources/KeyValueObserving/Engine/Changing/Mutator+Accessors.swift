// Changing a property by accessors that run code of its class, such as those of the macros.

/// A change of a property by the setter of its class, from before the setter's code to after it.
///
/// First the observers with `.prior` are called, then the class's code sets the property, and then all observers are
/// called. A property that notifies manually is set silently.
@safe package struct AccessorChange<Object: KeyValueObservable, Value> {
    fileprivate let keyPath: KeyPath<Object, Value>
    fileprivate let object: Object
    fileprivate let isAnnounced: Bool
    /// The change; an access in place may end on another thread than it began on.
    private let change: AnnouncedChange?

    /// Begins a change.
    package init(of keyPath: KeyPath<Object, Value>, in object: Object) {
        self.keyPath = keyPath
        self.object = object
        isAnnounced = Self.notifies(keyPath, of: object)
        change = isAnnounced ? Mutator.will(keyPath, of: object) : nil
    }

    /// Whether to announce a set: an observer may be notified, and the class does not announce the change manually.
    ///
    /// The object's own table is checked first, because all objects share the locks that guard the answers of classes.
    private static func notifies(_ keyPath: KeyPath<Object, Value>, of object: Object) -> Bool {
        if !Object._reportsPropertyAccesses {
            guard let table = object.keyValueRegistrar.existingTable else { return false }
            let name = KeyPathName(keyPath)
            let (manual, watch) = table.manualSourceAndWatch(at: name)
            if let source = table.storedSource(at: name) ?? manual { return source.isAutomatic }
            if watch == nil { return false }
        }
        return ClassDeclarations.of(object).policy(of: keyPath).isAutomatic
    }

    /// Ends the change.
    package func end() {
        if let change { Mutator.end(change, of: AnnouncedProperty(object: object, keyPath: keyPath)) }
        if isAnnounced { object.reportManualChange(.didChange, at: keyPath) }
    }
}

/// An access in place to a property by an accessor of its class.
///
/// The library does not read the property during the access; watches that depend on it wait.
@safe package struct AccessorAccess<Object: KeyValueObservable, Value> {
    private let change: AccessorChange<Object, Value>
    private let source: Source?
    /// The access without a change, if the property notifies manually.
    private let silentChange: Mutation?

    /// Begins an access.
    package init(to keyPath: KeyPath<Object, Value>, of object: Object) {
        change = AccessorChange(of: keyPath, in: object)
        source = object.keyValueRegistrar.existingTable?.source(at: KeyPathName(keyPath))
        silentChange = change.isAnnounced ? nil : source.flatMap { Mutation.open($0, manually: true) }
        silentChange?.isSilent = true
        // A change may be announced during the access.
        if let silentChange, silentChange.needsOld {
            silentChange.old = .holding(object[keyPath: keyPath])
        }
        source?.beginAccess()
    }

    /// Ends the access and its change.
    package func end() {
        source?.endAccess()
        if let silentChange {
            silentChange.evaluate(of: change.object)
            let new = silentChange.isSilent ? nil : change.object[keyPath: change.keyPath]
            ChangeValues.with(old: nil, new: new) {
                silentChange.deliver(nil, $0.with(old: silentChange.old), of: change.object)
            }
        }
        change.end()
    }
}
