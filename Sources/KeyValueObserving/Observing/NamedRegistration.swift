// Registrations whose key paths were given as strings.

/// What a registration by name is made with, beside the object and the handler.
package struct NamedRegistration {
    let text: String
    let options: KeyValueObservingOptions
    let isolation: (any Actor)?
    let fileID: StaticString
    let line: UInt
    /// What its handler can end, if that may be called before its caller has a token.

    /// - Parameters:
    ///   - text: The key path as it was given.
    ///   - options: What was asked for.
    ///   - isolation: The actor that the handler belongs to.
    ///   - fileID: Where the registration is made.
    ///   - line: Where the registration is made.
    package init(
        text: String, options: KeyValueObservingOptions, isolation: (any Actor)?, fileID: StaticString, line: UInt
    ) {
        self.text = text
        self.options = options
        self.isolation = isolation
        self.fileID = fileID
        self.line = line
    }

    private init(_ other: Self, at text: String) {
        self.text = text
        options = other.options
        isolation = other.isolation
        fileID = other.fileID
        line = other.line
    }

    /// The same at another key path, made by the same call.
    package func at(_ text: String) -> Self { Self(self, at: text) }
}

extension KeyValueObservable {
    /// Registers a handler at the key path that a string stands for, put together from parts.
    package func register<Value>(
        _ keyPath: KeyPath<Self, Value>, parts: [AnyKeyPath], _ registration: NamedRegistration,
        _ handler: @escaping (Self, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        register(
            keyPath, TypedRegistration<Self, Value> { handler($0, $1.erased) },
            RegistrationRequest(
                registration.options, text: registration.text, isolation: registration.isolation, registration.fileID,
                registration.line, notifier: { TypedRegistration<Self, Value>.notify($0) }),
            parts: parts,
            reading: { BoxedValue.holding(unsafe unsafeDowncast($0, to: Self.self)[keyPath: keyPath], in: $1) })
    }
}
