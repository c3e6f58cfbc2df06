// Handlers for errors that no caller can catch, and for notes on likely mistakes.
import CKeyValueObserving

/// Handlers for errors of string key paths that no caller can catch, and for notes on likely mistakes.
///
/// A string key path may lead through objects that are not there when it is registered. If one without the next key
/// appears, the assignment that brings it goes on, the observer gets nil as the value, and `codingErrorHandler`, which
/// the product `KeyValueCoding` adds, gets the error.
///
/// ``noteHandler`` gets a sentence about code that is allowed but probably a mistake.
public enum KeyValueDiagnostics {
    private static let notes = Handler<String> { writeLine($0) }

    /// A handler called with a sentence about code that is allowed but probably a mistake.
    ///
    /// It is called when:
    ///
    /// - a controller's policy, an owner, or an object's list of observers left out a registration because there is one at
    ///   the same key path of the same object;
    /// - a change was announced with ``KeyValueObservable/willChangeValue(for:)``, and its object died before
    ///   ``KeyValueObservable/didChangeValue(for:)`` was called;
    /// - threads set a property that is ``ObservedShared`` faster than its handlers run, so that one of them delivers for the
    ///   others for more than a second, or that more than 10,000 changes wait;
    /// - a key path leads through a property of an object that cannot be observed, so that its changes are not seen;
    /// - an undo manager stopped tracking an object, so that steps are gone.
    ///
    /// Each sentence comes once; the one about a registration that was left out comes once for each pair of lines. The
    /// handler is called on the thread that made the call, or that released the object. By default it prints one line
    /// to standard error. It may be set at any time, from any thread.
    public static var noteHandler: @Sendable (String) -> Void {
        get { notes.current }
        set { notes.current = newValue }
    }

    /// Writes a line to standard error.
    package static func writeLine(_ text: some CustomStringConvertible) {
        unsafe kvo_write_error_line("KeyValueObserving: \(text)")
    }

    private static let said = Guarded<Set<String>>([])

    /// Calls the handler of notes with a sentence, unless it was called with the same sentence, or one about the same
    /// subject, before.
    package static func noteOnce(_ sentence: String, about subject: String? = nil) {
        if said.withLock({ $0.insert(subject ?? sentence).inserted }) { Tracking.suspended { noteHandler(sentence) } }
    }

    /// A handler that may be replaced at any time.
    package final class Handler<Subject>: Sendable {
        private let handler: Guarded<@Sendable (Subject) -> Void>

        package init(_ handler: @escaping @Sendable (Subject) -> Void) {
            self.handler = Guarded(handler)
        }

        package var current: @Sendable (Subject) -> Void {
            get { handler.withLock { $0 } }
            set {
                // The captures of the last handler are released without the lock.
                var last = newValue
                handler.withLock { swap(&$0, &last) }
            }
        }
    }
}
