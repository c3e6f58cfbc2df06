// Tracing for a part of the program that begins and ends in different functions.
import Synchronization

extension KeyValueTrace {
    /// Traces until the part that is returned ends.
    ///
    /// ```swift
    /// let part = KeyValueTrace.beginPart(valueLength: 40)
    /// person.age = 18
    /// part.end()
    /// ```
    ///
    /// If tracing is on already, it stays as it was started, whatever the settings given here, and goes on after the end.
    /// See ``withTrace(capacity:valueLength:_:)`` for a part that is one function.
    ///
    /// - Parameters:
    ///   - capacity: How many events are kept; at least 1.
    ///   - valueLength: How many characters of each value are kept as text; 0 for none.
    ///   - eventLimit: How many events are recorded until ``Part/renewLimit()`` is called; at least 1.
    /// - Returns: The part, which ends with ``Part/end()``, or when nobody holds it any more.
    public static func beginPart(capacity: Int = 10_000, valueLength: Int = 0, eventLimit: Int = .max) -> Part {
        check(capacity, valueLength, eventLimit)
        return Part(Settings(capacity: capacity, valueLength: valueLength, eventLimit: eventLimit))
    }

    /// A part of the program that is traced: see ``beginPart(capacity:valueLength:eventLimit:)``.
    ///
    /// Its methods may be called from any thread.
    public final class Part: Sendable {
        /// The number of the beginning of the trace, if that began with this.
        private let beginning: Int?
        private let hasEnded = Atomic(false)

        fileprivate init(_ settings: Settings) {
            beginning = Recorder.shared.enter(settings).beginning
        }

        deinit { end() }

        /// Records as many events from now on as the limit says that it was begun with.
        ///
        /// Nothing happens if tracing was on already when it began, or if ``KeyValueTrace/start(capacity:valueLength:printsChanges:eventLimit:)``
        /// was called since: the limit is not its own then.
        public func renewLimit() {
            if let beginning { Recorder.shared.renewLimit(ifSince: beginning) }
        }

        /// Ends it, and tracing, unless somebody else traces; what was traced can still be read.
        ///
        /// A second call does nothing.
        public func end() {
            if !hasEnded.exchange(true, ordering: .relaxed) { Recorder.shared.leave() }
        }
    }
}
