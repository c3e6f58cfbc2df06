// A change of a shared property on its way to the observers.

/// A change of a property that several threads change, from its store until it is delivered.
@usableFromInline
struct SharedChange<Value> {
    /// The whole value before it, which the library reads until the change is delivered.
    let before: Value
    /// The elements that leave, if some elements change.
    let old: Value?
    /// The whole value after it, or the elements that come.
    let new: Value?
    /// How some elements change; nil if the whole value is set.
    let elements: ElementsChange?
    /// The thread that made it.
    let thread = ThisThread.number
    /// The registrations that are not notified of it.
    private let ignored = IgnoredRegistrations.current
    /// The traced event inside which it was made.
    let event = EngineTrace.cause

    /// A change of the whole value.
    init(from before: Value, to new: Value) {
        self.before = before
        old = before
        self.new = new
        elements = nil
    }

    /// A change of some elements.
    init(from before: Value, _ edit: ElementsEdit<Value>, removing old: Value?) {
        self.before = before
        self.old = old
        new = edit.elements
        elements = ElementsChange(edit.kind, at: edit.positions)
    }

    /// Whether a later change of the whole value, made inside a change of the same thread, belongs to this one.
    func isJoined(by later: Self) -> Bool { elements == nil && thread == later.thread }

    /// Both as one change.
    func joined(by later: Self) -> Self { later.new.map { Self(from: before, to: $0) } ?? self }

    /// Runs `body`, which delivers the change, with those left out that its own thread left out.
    func ignoring(_ body: () -> Void) {
        if thread == ThisThread.number { return body() }
        IgnoredRegistrations.replacing(ignored) { EngineTrace.inside(event, body) }
    }
}
