// Registrations of a controller whose key paths were given as strings.

extension KVOController {
    /// Registers a controller's handler at the key path that a string stands for, put together from parts.
    package func register<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, parts: [AnyKeyPath], _ registration: NamedRegistration,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) {
        register(
            object, keyPath, registration.options, isolation: registration.isolation, registration.fileID,
            registration.line, text: registration.text, parts: parts
        ) { handler($0, $1, $2.erased) }
    }
}
