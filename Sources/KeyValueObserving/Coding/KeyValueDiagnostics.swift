// Where errors go that no caller can catch.
import CKeyValueObserving

/// Handles the errors of key paths that no caller can catch.
///
/// A key path that is a string may lead through objects that are not there when it is registered. If one appears that
/// does not know the next key, the assignment that brings it goes on, the observer gets nil as the value, and the error
/// is handed to ``handler``.
public enum KeyValueDiagnostics {
    private static let current = Guarded<@Sendable (KeyValueCodingError) -> Void> { error in
        unsafe kvo_write_error_line("KeyValueObserving: \(error)")
    }

    /// Called with each such error, on the thread that makes the change.
    ///
    /// By default it prints one line to standard error. It may be set at any time, from any thread.
    public static var handler: @Sendable (KeyValueCodingError) -> Void {
        get { current.withLock { $0 } }
        set {
            // What the last handler captured is released without the lock.
            let last = current.withLock { handler in
                defer { handler = newValue }
                return handler
            }
            withExtendedLifetime(last) {}
        }
    }

    /// Hands an error to the handler; one of another kind, from a hook, as one of an unknown key.
    static func report(_ error: any Error, key: String, of object: AnyObject) {
        let error =
            error as? KeyValueCodingError
            ?? KeyValueCodingError(code: .undefinedKey, key: key, objectType: type(of: object))
        Tracker.suspended { handler(error) }
    }
}
