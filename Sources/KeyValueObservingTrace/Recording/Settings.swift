// The settings of a trace.

/// The settings that tracing was started with.
struct Settings {
    var capacity = 1
    /// How many characters of each value are kept; 0 for none.
    var valueLength = 0
    /// Whether a line is printed for each change.
    var printsChanges = false

    /// How many events are recorded until the limit is renewed.
    var eventLimit = Int.max

    /// The number of the newest registration made before tracing began, if that is known.
    var earlier: UInt64?

    /// Whether values are kept.
    var wantsValues: Bool { valueLength > 0 }
}
