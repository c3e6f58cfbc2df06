// A change that is noted, to be delivered later.

/// One change of a property or watch that a transaction notes: a change of elements, or settings as one.
///
/// Only the thread of the transaction uses it, and no access lasts while other code runs.
@usableFromInline
final class NotedChange {
    /// The registrations that are notified of it.
    let concerned: ConcernedRegistrations
    /// How some elements changed; nil if the whole value was set.
    let elements: ElementsChange?
    /// The value before it, or the elements that left.
    @safe @exclusivity(unchecked) @usableFromInline var old: BoxedValue?
    /// The value after it, or the elements that came.
    @safe @exclusivity(unchecked) @usableFromInline var new: BoxedValue?
    /// The whole value after a change of elements, if a registration needs it.
    let whole: BoxedValue?
    /// Its event, if somebody traces.
    let event: EngineTrace.EventNumber
    /// Whether the value before the next set that joins it is still to be kept, and whether the value after it is.
    @safe @exclusivity(unchecked) @usableFromInline var isOldNeeded = false
    @safe @exclusivity(unchecked) @usableFromInline var isNewNeeded = true
    /// Whether nobody else holds the new value.
    @safe @exclusivity(unchecked) @usableFromInline var isNewOwn = false

    init(
        _ concerned: ConcernedRegistrations, _ elements: ElementsChange? = nil, _ values: BoxedValues = BoxedValues(),
        event: EngineTrace.EventNumber = .unreported
    ) {
        self.event = event
        self.concerned = concerned
        self.elements = elements
        (old, new, whole) = (values.old, values.new, values.whole)
    }

    /// Whether a setting belongs to it that concerns some registrations.
    func takesSetting(of others: ConcernedRegistrations) -> Bool {
        elements == nil && concerned.ignored == others.ignored && others.newest <= concerned.newest
    }

    /// Notes a set that belongs to it.
    @inlinable
    func note<Value>(old: Value, new value: Value) {
        if isOldNeeded {
            isOldNeeded = false
            self.old = .holding(old)
        }
        guard isNewNeeded else { return }
        if isNewOwn, let new {
            new.replace(with: value)
        } else {
            new = .holding(value)
            isNewOwn = true
        }
    }

    /// Both settings as one, for a registration that is notified of both.
    func joined(by later: NotedChange) -> NotedChange {
        NotedChange(concerned, nil, BoxedValues(old: old, new: later.new), event: event)
    }
}
