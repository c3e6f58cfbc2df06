// The last known value of a property.

/// The last known value of a property.
struct KnownValue {
    /// The value as text; nil if no observer requested it.
    var text: String?
    /// The place in the order of values; later values have higher ones.
    let order: UInt64
    /// When the property had this value.
    let time: ContinuousClock.Instant
    /// The object, if the value is one; it may get its number later.
    let object: KeyValueTrace.Object?
    /// Whether it may have changed since.
    var isOutdated = false

    init(_ value: ValueText?, order: UInt64, time: ContinuousClock.Instant) {
        (text, object) = (value?.text, value?.object)
        self.order = order
        self.time = time
    }
}
