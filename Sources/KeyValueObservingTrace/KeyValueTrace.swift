// Switching tracing on and off, and reading what it has kept.

/// Shows what the library does: who was called, when, for how long, and because of what.
///
/// ```swift
/// KeyValueTrace.start(valueLength: 40)
/// person.age = 18
/// for event in KeyValueTrace.events { print(event) }
/// KeyValueTrace.stop()
/// ```
///
/// Tracing concerns the whole process. While it is on, what happens to observed objects is kept as ``Event`` values, in a
/// ring of a fixed capacity: a new event takes the place of the oldest one. Objects are not kept alive. Handlers are
/// called as they are without tracing, in the same order and with the same changes.
///
/// ### What is an event
///
/// Registrations and their ends, changes that somebody is notified of, calls of handlers, evaluations, transactions,
/// inboxes and bindings: see ``Kind``. A change that nobody observes is not an event. Neither is the reading of an old
/// value before a change.
///
/// ### Threads and cost
///
/// Everything here may be called from any thread, also while others make changes. While tracing is off, a program that
/// links this product pays one load where somebody is about to be called, and nothing elsewhere. While it is on, each
/// event takes a lock twice, for a moment.
public enum KeyValueTrace {
    /// Begins to trace; what was traced before is forgotten.
    ///
    /// If tracing is on already, it begins anew with these settings. Numbers of events go on: none is used twice.
    ///
    /// - Parameters:
    ///   - capacity: How many events are kept; at least 1.
    ///   - valueLength: How many characters of each old and new value are kept as text. With 0, the default, there is
    ///     no text, and no `description` of a value is called. Otherwise it is called on the thread that makes the
    ///     change, and for each evaluation. Tracing reads no property: a change has the values that an observer asked for,
    ///     and the elements that a view was given.
    ///   - printsChanges: Whether to print a line for each change to standard error.
    public static func start(capacity: Int = 10_000, valueLength: Int = 0, printsChanges: Bool = false) {
        check(capacity, valueLength)
        Recorder.shared.start(Settings(capacity: capacity, valueLength: valueLength, printsChanges: printsChanges))
    }

    /// Ends tracing; what was traced can still be read.
    ///
    /// Nothing happens if it is off. Inside ``withTrace(capacity:valueLength:_:)``, on any thread, tracing ends with that.
    public static func stop() { Recorder.shared.stop() }

    /// The events that are kept, the oldest first.
    ///
    /// An event that is still under way has no ``Event/duration`` yet.
    ///
    /// - Complexity: Proportional to their number.
    public static var events: [Event] { Recorder.shared.recent(after: 0).events }

    /// Traces while `body` runs.
    ///
    /// ```swift
    /// let (_, events) = KeyValueTrace.withTrace {
    ///     person.age = 18
    /// }
    /// ```
    ///
    /// Calls may be nested and made on several threads. If tracing is on already, it stays as it was started, whatever
    /// the settings given here.
    ///
    /// - Parameters:
    ///   - capacity: How many events are kept; at least 1.
    ///   - valueLength: How many characters of each value are kept as text; 0 for none.
    ///   - body: What is traced.
    /// - Returns: What `body` returns, and the events since it began, of all threads.
    /// - Throws: What `body` throws.
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
