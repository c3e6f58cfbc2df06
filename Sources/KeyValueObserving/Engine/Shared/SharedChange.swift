// A change of a shared property on its way to the observers.

/// A change of a property that several threads change, from its store until it is delivered.
@usableFromInline
struct SharedChange<Value> {
    /// The value before it, or the elements that leave.
    let old: Value?
    /// The value after it, or the elements that come.
    let new: Value?
    /// The whole value after it.
    let whole: Value
    /// How some elements change; nil if the whole value is set.
    let elements: ElementsChange?
    /// The thread that made it.
    let thread = ThisThread.number
    /// Registrations with a later number read the value after it.
    let newestNumber = Registration.newestNumber
    /// When it was stored, by the clock of evaluations.
    let storedAt = Watch.now
    /// The event inside which it was stored, if somebody traces.
    private let cause = EngineTrace.isOn ? EngineTrace.cause : .unreported
    /// The registrations that are not notified of it.
    private let ignored = IgnoredRegistrations.current

    init(_ elements: ElementsChange? = nil, from old: Value?, to new: Value?, whole: Value) {
        self.elements = elements
        self.old = old
        self.new = new
        self.whole = whole
    }

    /// Runs `body`, which delivers the change, with those left out that its own thread left out.
    func ignoring(_ body: () -> Void) {
        if thread == ThisThread.number { return body() }
        IgnoredRegistrations.replacing(ignored) {
            if _slowPath(EngineTrace.isOn) { EngineTrace.inside(cause, body) } else { body() }
        }
    }
}
