// Registering on behalf of an observer that the registration names.

extension ControllerRegistrations {
    /// Makes one registration on behalf of an observer, which is held weakly.
    ///
    /// The handler that the object owns holds these registrations weakly, so neither keeps the other alive. It removes
    /// what is left of observers that died.
    ///
    /// - Parameters:
    ///   - observer: Handed to the handler. One that is being deinitialized registers nothing.
    ///   - object: The object.
    ///   - keyPath: Where.
    ///   - key: What the registration is found by: the object's address, or the observer's.
    ///   - options: What was asked for.
    ///   - isolation: The actor that the handler belongs to.
    ///   - fileID: Where the registration is made.
    ///   - line: Where the registration is made.
    ///   - handler: The handler.
    @inlinable
    package func register<Observer: AnyObject, Object: KeyValueObservable, Value>(
        _ observer: Observer, _ object: Object, _ keyPath: KeyPath<Object, Value>, under key: ObjectIdentifier,
        _ options: KeyValueObservingOptions, isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        let reference = ObserverReference(observer)
        guard reference.object != nil else { return }
        let request = RegistrationRequest(
            options, observer: TypeName.of(observer), isolation: isolation, fileID, line,
            notifier: { TypedRegistration<Object, Value>.notify($0) })
        let registration = TypedRegistration<Object, Value> { [weak self, weak observer] object, change in
            guard let observer else {
                self?.removeOrphans()
                return
            }
            handler(observer, object, change)
        }
        register(registration, request, at: keyPath, of: object, for: reference, under: key)
    }
}
