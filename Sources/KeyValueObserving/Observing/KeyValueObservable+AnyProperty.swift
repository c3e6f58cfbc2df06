// Observing all properties of an object.

extension KeyValueObservable {
    /// Calls a handler after each change of any of this object's own observable properties.
    ///
    /// ```swift
    /// let observation = person.observeAnyProperty { person, change in print("\(change.name) has changed") }
    /// ```
    ///
    /// The properties are those that are ``Observed`` or announced manually, inherited ones included. Computed
    /// properties and objects behind the properties are not among them. The change has the key path as the class writes
    /// it that declares the property, its name, kind and indexes, and no values. Two changes that one call makes, such
    /// as `moveSubranges(_:to:)`, are delivered as two; in a transaction each property that changed is one setting.
    ///
    /// Order, threads and lifetime are those of
    /// ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``. Each property is read once,
    /// before its first change. ``observationInfo`` lists the registration as one, at the key path `self`.
    public func observeAnyProperty(
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        recordAnyProperty(isolation: changeHandler.isolation, fileID, line, ActionHandler(changeHandler).call)
    }

    /// Calls a handler with the key path after each change of any of this object's own observable properties.
    @_disfavoredOverload
    public func observeAnyProperty(
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, AnyKeyPath) -> Void
    ) -> KeyValueObservation {
        let call = ActionHandler(changeHandler).call
        return recordAnyProperty(isolation: changeHandler.isolation, fileID, line) { call($0, $1.keyPath) }
    }

    func recordAnyProperty(
        isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        _ call: @escaping (Self, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        let table = Registering.table(of: self, fileID, line)
        table.noteOwner(self)
        // It is called with the object that it is made on.
        let registration = AnyPropertyRegistration { call(unsafe unsafeDowncast($0, to: Self.self), $1) }
        let request = RegistrationRequest(
            [], isolation: isolation, fileID, line, form: .watchers, notifier: AnyPropertyRegistration.notify)
        table.add(registration, request, at: \Self.self)
        return KeyValueObservation(registration.number, in: table)
    }
}

/// A registration at all properties of an object.
final class AnyPropertyRegistration: Registration, @unchecked Sendable {
    private let handler: (AnyObject, KeyValueObservedChange<Any>) -> Void

    fileprivate init(_ handler: @escaping (AnyObject, KeyValueObservedChange<Any>) -> Void) {
        self.handler = handler
        super.init()
    }

    /// Calls the handlers of a call site, one after the other.
    fileprivate static func notify(_ message: borrowing ChangeMessage) {
        let (object, keyPath) = (message.object, message.keyPath)
        while let registration = message.next() {
            guard let keyPath else { continue }
            let change = KeyValueObservedChange<Any>(
                kind: message.edit?.kind ?? .setting, newValue: nil, oldValue: nil, edit: message.edit, isPrior: false,
                origin: ChangeKeyPath(keyPath: keyPath))
            // A call site's notifier is called for its own registrations.
            registration.with { registration in
                object.with { unsafe unsafeDowncast(registration, to: Self.self).handler($0, change) }
            }
        }
    }
}
