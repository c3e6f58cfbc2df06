// What a property was last.

/// What a property was last.
struct KnownValue {
    /// Nil if no observer asked for the value.
    var text: String?
    /// Later values have higher ones.
    let order: UInt64
    /// When it was so.
    let time: ContinuousClock.Instant
    /// Whether it may have changed since.
    var isOutdated = false
}
