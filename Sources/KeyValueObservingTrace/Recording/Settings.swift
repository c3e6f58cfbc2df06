// How tracing was started.

/// What is kept of events.
struct Settings {
    var capacity = 1
    /// How many characters of each value are kept; 0 for none.
    var valueLength = 0
    /// Whether a line is printed for each change.
    var printsChanges = false

    /// Whether values are needed.
    var wantsValues: Bool { valueLength > 0 }
}
