// What listings ask of registrations that are delivered elsewhere.

/// A registration that is delivered elsewhere.
protocol ElsewhereRegistration: Registration {
    /// Whether what is delivered to is gone.
    var isAbandoned: Bool { get }
    /// How many handlers have been called, and how many changes were dropped.
    var counts: (delivered: Int, dropped: Int) { get }
}
