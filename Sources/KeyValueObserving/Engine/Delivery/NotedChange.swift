// A change that is noted, to be delivered later.

/// One change of a property or path that a transaction notes: a change of elements, or settings as one.
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
    /// The whole value after a change of elements, if a registration needs it.
    private let whole: BoxedValue?
    /// The value before it, or the elements that left.
    @safe @exclusivity(unchecked) @usableFromInline var old: BoxedValue?
    /// The value after it, or the elements that came.
    @safe @exclusivity(unchecked) @usableFromInline private(set) var new: BoxedValue?
    /// Whether the value before the next set that belongs to it is still to be kept.
    @safe @exclusivity(unchecked) @usableFromInline var isOldNeeded: Bool
    /// Whether the value after it is.
    @safe @exclusivity(unchecked) @usableFromInline var isNewNeeded = true
    /// Whether nobody else holds the new value.
    @safe @exclusivity(unchecked) @usableFromInline var isNewOwn = false

    /// A change that was made.
    init(
        _ elements: ElementsChange?, whole: BoxedValue?, upTo newestNumber: RegistrationNumber,
        ignored: Set<RegistrationNumber>, old: BoxedValue?, new: BoxedValue?
    ) {
        self.elements = elements
        self.whole = whole
        self.newestNumber = newestNumber
        self.ignored = ignored
        self.old = old
        self.new = new
        isOldNeeded = false
    }

    /// A setting that is about to be made.
    init(
        upTo newestNumber: RegistrationNumber, ignored: Set<RegistrationNumber>,
        needing needs: KeyValueObservingOptions
    ) {
        elements = nil
        whole = nil
        self.newestNumber = newestNumber
        self.ignored = ignored
        isOldNeeded = needs.contains(.old)
    }

    /// Whether it is a setting that every registration is notified of that it concerns.
    var isPlain: Bool { elements == nil && ignored.isEmpty }

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

    /// Notes another new value, which somebody else may hold.
    func replaceNew(with new: BoxedValue?) {
        isNewOwn = false
        self.new = new
    }

    /// The same change with another new value.
    func with(new: BoxedValue?) -> NotedChange {
        NotedChange(elements, whole: whole, upTo: newestNumber, ignored: ignored, old: old, new: new)
    }

    /// The change as a registration is called with it: with the whole value after a change of elements, if it needs that.
    func delivered(to registration: Registration) -> NotedChange {
        guard whole != nil, registration.needsWholes else { return self }
        return NotedChange(
            elements?.with(whole: whole), whole: nil, upTo: newestNumber, ignored: ignored, old: old, new: new)
    }
}
