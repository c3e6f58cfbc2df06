// Locks and atomic words as steps of a scheduler, which tries every order of threads.

#if KEY_VALUE_OBSERVING_SCHEDULED
public import Synchronization

/// How a scheduler takes part in what threads do in the library; see `Verification/Explore`.
public enum Scheduling {
    /// What a thread does.
    public enum Event: Sendable {
        /// An atomic operation is about to be made.
        case atomic
        /// A lock is about to be taken; the scheduler returns when it is.
        case lock(ObjectIdentifier)
        /// A lock was left.
        case unlock(ObjectIdentifier)
    }

    /// The scheduler; set before any thread uses the library.
    nonisolated(unsafe) public static var scheduler: ((Event) -> Void)?

    static func note(_ event: Event) {
        if let scheduler = unsafe scheduler { scheduler(event) }
    }
}

/// An atomic word, each operation of which is a step.
///
/// One thread runs at a time, so that it is a plain word; memory orders play no part.
public struct ScheduledAtomic<Value: Equatable>: ~Copyable, @unchecked Sendable {
    private final class Word {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private let word: Word

    /// Creates a word with a value.
    public init(_ value: Value) {
        word = Word(value)
    }

    /// The value.
    public func load(ordering: AtomicLoadOrdering) -> Value {
        Scheduling.note(.atomic)
        return word.value
    }

    /// Replaces the value.
    public func store(_ value: Value, ordering: AtomicStoreOrdering) {
        Scheduling.note(.atomic)
        word.value = value
    }

    /// Replaces the value, and returns the one before.
    public func exchange(_ value: Value, ordering: AtomicUpdateOrdering) -> Value {
        Scheduling.note(.atomic)
        defer { word.value = value }
        return word.value
    }

    /// Replaces the value if it is the expected one.
    public func compareExchange(
        expected: Value, desired: Value, ordering: AtomicUpdateOrdering
    ) -> (exchanged: Bool, original: Value) {
        Scheduling.note(.atomic)
        let original = word.value
        if original == expected { word.value = desired }
        return (original == expected, original)
    }
}

extension ScheduledAtomic where Value: FixedWidthInteger {
    private func update(_ change: (Value) -> Value) -> (oldValue: Value, newValue: Value) {
        Scheduling.note(.atomic)
        let old = word.value
        word.value = change(old)
        return (old, word.value)
    }

    /// Adds to the value.
    @discardableResult
    public func add(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
        update { $0 + operand }
    }

    /// Adds to the value without a check for overflow.
    @discardableResult
    public func wrappingAdd(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
        update { $0 &+ operand }
    }

    /// Subtracts from the value without a check for overflow.
    @discardableResult
    public func wrappingSubtract(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value)
    {
        update { $0 &- operand }
    }

    /// Raises the value to another one that is greater.
    @discardableResult
    public func max(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
        update { Swift.max($0, operand) }
    }

    /// Sets bits of the value.
    @discardableResult
    public func bitwiseOr(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
        update { $0 | operand }
    }
}

@usableFromInline
typealias Atomic = ScheduledAtomic
#endif
