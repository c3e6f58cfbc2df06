// How many changes may wait for their delivery.

/// How many changes may wait in a ``KeyValueSequence`` that is being consumed: see
/// ``KeyValueSequence/buffer(policy:)``.
///
/// A change waits until its handler begins, or until the iteration consumes it. While an asynchronous handler runs, all
/// further changes wait.
///
/// When as many wait as `bufferingNewest` or `bufferingOldest` allows, the next change drops one, which is counted in
/// ``KeyValueObservationInfo/droppedCount``. The change that follows a gap closes it. Its
/// ``KeyValueObservedChange/oldValue`` is the last value that was delivered, or that of the first dropped change if
/// nothing was. A change of elements that closes a gap is delivered as a setting of the whole. So code that replays the
/// changes has the right value once a gap is closed; with `bufferingOldest`, the next change closes it.
///
/// For this, a registration with such a policy keeps the value of a collection, so the next change of its elements
/// copies the collection. With the other policies, this happens only if an element of the sequence is a whole value.
@nonexhaustive public enum KeyValueBufferingPolicy: Sendable, Hashable {
    /// All changes wait; none is dropped.
    case unbounded
    /// At most this number of changes wait, the newest ones; the oldest is dropped. The number is at least 1.
    case bufferingNewest(Int)
    /// At most this number of changes wait, the oldest ones; the newest is dropped. The number is at least 1.
    case bufferingOldest(Int)
    /// The registration ends when more than this number of changes wait, and the sequence after these. The number is at
    /// least 1.
    ///
    /// Use it for clients that are too slow to keep. ``KeyValueSequence/Iterator/hasOverflowed`` and
    /// ``KeyValueObservation/hasOverflowed`` report that this has happened.
    case finishing(after: Int)

    /// How many may wait; nil if there is no bound.
    var bound: Int? {
        switch self {
        case .unbounded: nil
        case .bufferingNewest(let count), .bufferingOldest(let count), .finishing(after: let count): count
        }
    }

    /// The policy as it is written, for a message; without reflection metadata its cases print no names.
    var text: String {
        switch self {
        case .unbounded: ".unbounded"
        case .bufferingNewest(let count): ".bufferingNewest(\(count))"
        case .bufferingOldest(let count): ".bufferingOldest(\(count))"
        case .finishing(after: let count): ".finishing(after: \(count))"
        }
    }

    var dropsNewest: Bool { if case .bufferingOldest = self { true } else { false } }
    var finishes: Bool { if case .finishing = self { true } else { false } }
    var drops: Bool { bound != nil && !finishes }
}
