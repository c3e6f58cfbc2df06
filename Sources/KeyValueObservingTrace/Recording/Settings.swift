// How tracing was started.

/// What is kept of events.
struct Settings {
    var capacity = 1
    /// How many characters of each value are kept; 0 for none.
    var valueLength = 0
    /// Whether a line is printed for each change.
    var printsChanges = false

    /// How many events are recorded until the limit is renewed.
    var eventLimit = Int.max

    /// How many registrations were made before, if that is known.
    var earlier: UInt64?

    /// Whether values are needed.
    var wantsValues: Bool { valueLength > 0 }
}
