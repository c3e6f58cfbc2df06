// Observing through a controller by key paths that are strings.
public import KeyValueObserving

extension KVOController {
    /// Calls a handler with the observer at every change of a key path that is a string.
    ///
    /// What is observed, and what is thrown, is as for
    /// ``/KeyValueCoding/KeyValueCodable/observe(_:options:fileID:line:changeHandler:)``. The same property observed by name and by its
    /// key path is the same pair of object and key path.
    ///
    /// - Parameters:
    ///   - object: The object; with nil nothing happens.
    ///   - keyPath: Keys, separated by dots.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - fileID: Where the registration is made, for the listing.
    ///   - line: Where the registration is made, for the listing.
    ///   - changeHandler: Called with the observer, the object and the change.
    /// - Throws: ``/KeyValueCoding/KeyValueCodingError``: a key is unknown or empty, or the value depends on nothing observable.
    public func observe<Object: KeyValueCodable>(
        _ object: Object?, keyPath: String, options: KeyValueObservingOptions = [], fileID: StaticString = #fileID,
        line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) throws {
        try observe(
            object, keyPaths: [keyPath], options: options, fileID: fileID, line: line, changeHandler: changeHandler)
    }

    /// Calls one handler at every change of any of several key paths that are strings.
    ///
    /// Each key path is a registration of its own, made in the order given; `change.name` says which it was.
    /// All are checked before the first is registered.
    ///
    /// - Parameters:
    ///   - object: The object; with nil nothing happens.
    ///   - keyPaths: Key paths of keys, separated by dots; at least one.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - fileID: Where the registrations are made, for the listing.
    ///   - line: Where the registrations are made, for the listing.
    ///   - changeHandler: Called with the observer, the object and the change.
    /// - Throws: ``/KeyValueCoding/KeyValueCodingError``: there is no key path, a key is unknown or empty, or a value depends on
    ///   nothing observable.
    public func observe<Object: KeyValueCodable>(
        _ object: Object?, keyPaths: [String], options: KeyValueObservingOptions = [], fileID: StaticString = #fileID,
        line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) throws {
        guard let object else { return }
        guard !keyPaths.isEmpty else { throw Self.noKeyPath(of: object) }
        let paths = try keyPaths.map { ($0, try KeyPathObserving(text: $0).path(from: object, for: options)) }
        let call = ControllerHandler(changeHandler).call
        let registration = NamedRegistration(
            text: keyPaths[0], options: options, isolation: changeHandler.isolation, fileID: fileID, line: line)
        for (text, path) in paths {
            path.observe(object, in: self, registration.at(text)) { observer, object, change in
                // It is the object that was registered.
                call(observer, unsafe unsafeDowncast(object, to: Object.self), change)
            }
        }
    }

    /// Ends the registration of one key path of one object, by whichever form it was made.
    ///
    /// - Parameters:
    ///   - object: The object; with nil nothing happens.
    ///   - keyPath: Keys, separated by dots; an unknown one was never registered.
    public func unobserve<Object: KeyValueCodable>(_ object: Object?, keyPath: String) {
        guard let object else { return }
        let known = KeyPathObserving(text: keyPath).knownKeyPath(from: object)
        let target = RegistrationTarget.identity(ofAny: known, on: object)
        registrations.remove(from: object, at: target, text: keyPath)
    }

    /// Ends the registrations of several key paths of one object, by whichever form they were made.
    ///
    /// - Parameters:
    ///   - object: The object; with nil nothing happens.
    ///   - keyPaths: Key paths of keys, separated by dots; unknown ones were never registered.
    public func unobserve<Object: KeyValueCodable>(_ object: Object?, keyPaths: [String]) {
        for keyPath in keyPaths { unobserve(object, keyPath: keyPath) }
    }

    private static func noKeyPath(of object: some KeyValueCodable) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .emptyKeyPath, key: "", objectType: type(of: object),
            explanation:
                "\(TypeName.of(object)) cannot be observed at no key path: the list of key paths is empty"
        )
    }
}
