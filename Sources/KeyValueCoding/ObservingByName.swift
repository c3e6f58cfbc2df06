// Observing key paths that are strings: with tokens, and through a controller.
public import KeyValueObserving

extension KeyValueCodable {
    /// Calls a handler at every change of a key path that is a string, for as long as the returned observation lives.
    ///
    /// ```swift
    /// let observation = try person.observe("address.city", options: .new) { person, change in
    ///     print(change.newValue as? String ?? "nowhere")
    /// }
    /// ```
    ///
    /// The rules for changes, order, threads and lifetime are those of
    /// ``/KeyValueObserving/KeyValueObservable/observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``
    /// with the typed key path of the same properties. Operators and dictionaries on the way are evaluated again after
    /// each change of a property that they read.
    ///
    /// The key path is evaluated once now. Keys after a nil on the way cannot be checked yet: a key that turns out to
    /// be unknown when an object appears there is reported to
    /// ``/KeyValueObserving/KeyValueDiagnostics/codingErrorHandler``, and the value is nil. A key after an array or a
    /// set is refused, as in Cocoa; an operator such as `@count` is not, and the observation follows the properties of
    /// the elements that it reads.
    ///
    /// - Parameters:
    ///   - keyPath: Keys, separated by dots.
    ///   - options: Options for the deliveries; with none, they only say that something changed.
    ///   - fileID: The file of the registration, for the listing.
    ///   - line: The line of the registration, for the listing.
    ///   - changeHandler: Called with this object and the change.
    /// - Returns: The registration. Keep it: releasing it ends it.
    /// - Throws: ``KeyValueCodingError``: a key is unknown or empty, the value depends on nothing observable, or values that
    ///   `.distinct` is to compare are not `Equatable`.
    public func observe(
        _ keyPath: String, options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID,
        line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, KeyValueObservedChange<Any>) -> Void
    ) throws -> KeyValueObservation {
        let call = Handler(changeHandler).call
        let registration = NamedRegistration<Self>(
            path: try NamedPath(observing: keyPath, of: self, options), object: self, controller: nil, options: options,
            isolation: changeHandler.isolation, fileID: fileID, line: line
        ) { call(unsafe unsafeDowncast($1, to: Self.self), $2) }
        guard case .some(.some(let observation)) = registration.path.keyPath.accept(registration) else {
            preconditionFailure("a path starts at a class that can be observed")
        }
        return observation
    }
}

extension KVOController {
    /// Calls a handler with the observer at every change of a key path that is a string.
    ///
    /// The rules for key paths and errors are those of
    /// ``/KeyValueCoding/KeyValueCodable/observe(_:options:fileID:line:changeHandler:)``. A property observed by name
    /// and by its key path is one pair of object and key path. With nil for the object, nothing happens.
    public func observe<Object: KeyValueCodable>(
        _ object: Object?, keyPath: String, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID,
        line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) throws {
        try observe(
            object, keyPaths: [keyPath], options: options, fileID: fileID, line: line, changeHandler: changeHandler)
    }

    /// Calls one handler at every change of any of several key paths that are strings.
    ///
    /// Each key path is a registration of its own, made in the order given; `change.name` says which it was. All are
    /// checked before the first is registered, and an empty list is an error.
    public func observe<Object: KeyValueCodable>(
        _ object: Object?, keyPaths: [String], options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID,
        line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) throws {
        guard let object else { return }
        guard !keyPaths.isEmpty else {
            throw KeyValueCodingError(
                code: .emptyKeyPath, key: "", objectType: type(of: object),
                explanation: "\(TypeName.of(object)) cannot be observed at no key path: the list of key paths is empty")
        }
        let (call, baton) = (ActionHandler(changeHandler).call, Baton())
        for path in try keyPaths.map({ try NamedPath(observing: $0, of: object, options) }) {
            let registration = NamedRegistration(
                path: path, object: object, controller: (self, baton), options: options,
                isolation: changeHandler.isolation, fileID: fileID, line: line
            ) { observer, object, change in
                if let observer { call(observer, unsafe unsafeDowncast(object, to: Object.self), change) }
            }
            _ = path.keyPath.accept(registration)
        }
    }

    /// Ends the registration of one key path of one object, by whichever form it was made.
    public func unobserve<Object: KeyValueCodable>(_ object: Object?, keyPath: String) {
        guard let object else { return }
        let target = Registering.identity(ofAny: NamedPath(keyPath, from: object).keyPath, on: object)
        registrations.remove(from: object, at: target, text: keyPath)
    }

    /// Ends the registrations of several key paths of one object, by whichever form they were made.
    public func unobserve<Object: KeyValueCodable>(_ object: Object?, keyPaths: [String]) {
        for keyPath in keyPaths { unobserve(object, keyPath: keyPath) }
    }
}

/// Registers a handler for an object at a path: with a controller, or for a token.
private struct NamedRegistration<Observer: AnyObject>: KeyPathVisitor {
    let path: NamedPath
    /// The object, which is a root of the path because of its class.
    let object: AnyObject
    /// The controller, and the baton that its registrations with the same handler share.
    let controller: (KVOController<Observer>, Baton)?
    let options: KeyValueObservingOptions
    let isolation: (any Actor)?
    let fileID: StaticString
    let line: UInt
    let handler: (Observer?, AnyObject, KeyValueObservedChange<Any>) -> Void

    func visit<Root: KeyValueObservable, Value>(_ keyPath: KeyPath<Root, Value>) -> KeyValueObservation? {
        let (root, handler) = (unsafe unsafeDowncast(object, to: Root.self), handler)
        guard let (controller, baton) = controller else {
            return root.register(
                keyPath, options, isolation: isolation, fileID, line, text: path.text, parts: path.parts
            ) { handler(nil, $0, $1) }
        }
        controller.register(
            root, keyPath, options, isolation: isolation, fileID, line, text: path.text, parts: path.parts,
            sharing: baton
        ) { handler($0, $1, $2.erased) }
        return nil
    }
}
