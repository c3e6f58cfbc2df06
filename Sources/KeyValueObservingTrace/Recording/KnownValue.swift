// What a property was last.

/// What a property was last.
struct KnownValue {
    /// Nil if no observer asked for the value.
    var text: String?
    /// Later values have higher ones.
    let order: UInt64
    /// When it was so.
    let time: ContinuousClock.Instant
    /// The object that it is, which may get its number later.
    let object: KeyValueTrace.Object?
    /// Whether it may have changed since.
    var isOutdated = false

    init(_ value: ValueText?, order: UInt64, time: ContinuousClock.Instant) {
        (text, object) = (value?.text, value?.object)
        self.order = order
        self.time = time
    }
}
