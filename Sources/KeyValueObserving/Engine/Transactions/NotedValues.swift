// The values before and after one change that a transaction notes.

/// What a set of a property in a transaction finds.
@usableFromInline
enum Joining {
    /// It is a change of its own.
    case alone
    /// It belongs to a change that the transaction notes: the value only has to be stored, and noted here.
    case joined(NotedValues?)
}

/// The value before the first set that belongs to a change in a transaction, and the one after the last.
///
/// Only the thread of the transaction uses it, and no access lasts while other code runs.
@usableFromInline
final class NotedValues {
    @safe @exclusivity(unchecked) @usableFromInline var old: BoxedValue?
    @safe @exclusivity(unchecked) @usableFromInline var new: BoxedValue?
    /// Whether the value before the next set is still to be kept.
    @safe @exclusivity(unchecked) @usableFromInline var isOldNeeded: Bool
    /// Whether the value after it is.
    @safe @exclusivity(unchecked) @usableFromInline var isNewNeeded = true
    /// Whether nobody else holds the new value.
    @safe @exclusivity(unchecked) @usableFromInline var isNewOwn = false

    /// The values of a change that is to be made.
    init(needingOld isOldNeeded: Bool) {
        self.isOldNeeded = isOldNeeded
    }

    /// The values of a change that was made.
    init(old: BoxedValue?, new: BoxedValue?) {
        isOldNeeded = false
        self.old = old
        self.new = new
    }

    /// Notes a set that belongs to the change.
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
}
