// Where errors of key paths that are strings go, if no caller can catch them.
public import KeyValueObserving

extension KeyValueDiagnostics {
    private static let errors = Handler<KeyValueCodingError> { writeLine($0) }

    /// Called with each such error, on the thread that makes the change or calls the view's method.
    ///
    /// By default it prints one line to standard error. It may be set at any time, from any thread.
    public static var handler: @Sendable (KeyValueCodingError) -> Void {
        get { errors.current }
        set { errors.current = newValue }
    }

    /// Hands an error to the handler; one of another kind, from a hook, as the reason of one with a code.
    static func report(
        _ error: any Error, key: String, of object: AnyObject, as code: KeyValueCodingError.Code = .undefinedKey
    ) {
        let error =
            error as? KeyValueCodingError
            ?? KeyValueCodingError(
                code: code, key: key, objectType: type(of: object), reason: "\(error)",
                explanation: code == .undefinedKey
                    ? "\(TypeName.of(object)) gave no value for \"\(key)\"" : nil)
        Tracking.suspended { handler(error) }
    }
}
