// Switching tracing on and off, and reading its events.

/// Shows what the library does: which handlers were called, when, for how long, and why.
///
/// ```swift
/// KeyValueTrace.start(valueLength: 40)
/// person.age = 18
/// for event in KeyValueTrace.events { print(event) }
/// KeyValueTrace.stop()
/// ```
///
/// Tracing concerns the whole process. While it is on, the library keeps ``Event`` values for what happens to observed
/// objects, in a ring of a fixed capacity, where a new event replaces the oldest one. Tracing retains no object. It
/// changes neither the order of calls nor their arguments.
///
/// ### Events
///
/// Registrations and their ends, observed changes, calls of handlers, evaluations, transactions, buffered changes and
/// bindings; see ``Kind``. A change without an observer is not an event, nor is reading an old value before a change.
///
/// ### Threads and cost
///
/// You may call everything from any thread, even while other threads make changes. While tracing is off, a program that
/// links this product pays one load before it calls an observer, and nothing otherwise. While it is on, each event
/// takes a lock twice, for a moment.
public enum KeyValueTrace {
    /// Starts tracing, and discards earlier events.
    ///
    /// If tracing is on already, it begins anew with these settings. The numbers of events continue, so none is used
    /// twice.
    ///
    /// - Parameters:
    ///   - capacity: How many events are kept; at least 1.
    ///   - valueLength: How many characters of each old and new value are kept as text. With 0, the default, there is
    ///     no text, and no `description` of a value is called. Otherwise it is called on the thread that makes the
    ///     change, and for each evaluation. Tracing reads no property; a change has the values that an observer
    ///     requested, and the elements passed to a view.
    ///   - printsChanges: Whether to print a line for each change to standard error.
    public static func start(capacity: Int = 10_000, valueLength: Int = 0, printsChanges: Bool = false) {
        check(capacity, valueLength)
        Recorder.shared.start(Settings(capacity: capacity, valueLength: valueLength, printsChanges: printsChanges))
    }

    /// Stops tracing; the recorded events stay readable.
    ///
    /// Does nothing if tracing is off. While ``withTrace(capacity:valueLength:_:)`` runs on any thread, tracing goes on
    /// until it returns.
    public static func stop() { Recorder.shared.stop() }

    /// The recorded events that are kept, the oldest first.
    ///
    /// An event that is still under way has no ``Event/duration`` yet.
    ///
    /// - Complexity: Proportional to the number of events.
    public static var events: [Event] { Recorder.shared.recent(after: 0).events }

    /// Traces while `body` runs.
    ///
    /// ```swift
    /// let (_, events) = KeyValueTrace.withTrace {
    ///     person.age = 18
    /// }
    /// ```
    ///
    /// You may nest calls, and make them on several threads. If tracing is on already, it keeps the settings it was
    /// started with.
    ///
    /// - Parameters:
    ///   - capacity: How many events are kept; at least 1.
    ///   - valueLength: How many characters of each value are kept as text; 0 for none.
    ///   - body: The code to trace.
    /// - Returns: The result of `body`, and the events of all threads since it began.
    /// - Throws: The error that `body` throws.
    public static func withTrace<Result, Failure: Error>(
        capacity: Int = 10_000, valueLength: Int = 0, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> (Result, [Event]) {
        check(capacity, valueLength)
        let last = Recorder.shared.enter(Settings(capacity: capacity, valueLength: valueLength)).lastEvent
        defer { Recorder.shared.leave() }
        let result = try body()
        return (result, Recorder.shared.recent(after: last).events)
    }

    static func check(_ capacity: Int, _ valueLength: Int, _ eventLimit: Int = 1) {
        guard capacity > 0 else {
            fatalError(
                "KeyValueTrace cannot keep \(capacity) events: at least 1 must be kept. Give a capacity of 1 or more.")
        }
        guard valueLength >= 0 else {
            fatalError(
                """
                KeyValueTrace cannot keep \(valueLength) characters of each value. Give a valueLength of 0, for no text, or \
                more.
                """)
        }
        precondition(
            eventLimit > 0, "KeyValueTrace records at least 1 event until the limit is renewed, not \(eventLimit).")
    }
}
