// A change that is noted, to be delivered later.

/// One change of a property or watch that a transaction notes: a change of elements, or settings as one.
///
/// Only the thread of the transaction uses it, and no access lasts while other code runs.
@usableFromInline
final class NotedChange {
    /// Registrations with a later number are not concerned.
    let newestNumber: RegistrationNumber
    /// Registrations that are not notified of it.
    let ignored: Set<RegistrationNumber>
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
        upTo newestNumber: RegistrationNumber, ignored: Set<RegistrationNumber> = [], _ elements: ElementsChange? = nil,
        old: BoxedValue? = nil, new: BoxedValue? = nil, whole: BoxedValue? = nil,
        event: EngineTrace.EventNumber = .unreported
    ) {
        self.event = event
        self.newestNumber = newestNumber
        self.ignored = ignored
        self.elements = elements
        self.old = old
        self.new = new
        self.whole = whole
    }

    /// Whether a registration is notified of it.
    func concerns(_ number: RegistrationNumber) -> Bool { number <= newestNumber && !ignored.contains(number) }

    /// Whether a setting belongs to it that concerns the registrations up to a number, without the ignored ones.
    func takesSetting(upTo newest: RegistrationNumber, _ ignored: Set<RegistrationNumber>) -> Bool {
        elements == nil && self.ignored == ignored && newest <= newestNumber
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
        NotedChange(upTo: newestNumber, ignored: ignored, old: old, new: later.new, event: event)
    }
}
