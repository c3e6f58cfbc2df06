// The sequence of changes or values, to iterate over or to deliver on an executor.

/// An object's changes or values, to iterate over or to deliver on an actor, an executor or a queue.
///
/// ```swift
/// for await change in person.changes(of: \.age, options: [.initial, .new]) {
///     print(change)
///     if change.requiredNewValue == 18 { break }
///     person.age = 18
/// }       // prints "setting of age, → 0", then "setting of age, → 18"
/// ```
///
/// | made by | an element is |
/// |---|---|
/// | `changes(of:)`, `changes(reading:)` | each change |
/// | `values(of:)`, `values(reading:)` | the value as it is at the beginning, and each new one |
///
/// | changed by | effect |
/// |---|---|
/// | ``removeDuplicates()`` | a value that equals the one before is left out |
/// | ``buffer(policy:)`` | a bound for the number that may wait |
/// | ``labeled(_:)`` | a label for its registrations in listings |
///
/// | consumed by | an element is handled |
/// |---|---|
/// | `for await`, ``stream()`` | in the task that iterates |
/// | ``deliver(to:_:)`` | in an actor |
/// | ``deliverOnMainActor(_:)`` | on the main actor |
/// | `deliver(on:_:)` | on an executor or queue |
///
/// ### Order and threads
///
/// Each iterator and each delivery is a registration of its own, made when the iteration or delivery begins; it misses
/// earlier changes. Making one reads the observed value.
///
/// Nothing is handled inside the change. Each change that is made after the registration comes once, with the values
/// from the time of the change, unless the ``KeyValueBufferingPolicy`` drops it. Changes of a key path that one thread
/// makes come in their order. The value at the registration (`.initial`, the first of `values(of:)`) comes before them,
/// and waits as they do. Values of a collection are whole, even if only some of its elements change.
///
/// ### Lifetime
///
/// A registration keeps neither the object nor an actor. It ends with the iterator or the token, when the task that
/// iterates is canceled, or when the object or the actor dies. Changes that wait when the object dies are still
/// handled.
///
/// ### Traps
///
/// `.prior` traps, because nothing is handled before the change. When an iteration or delivery begins, a sequence of a
/// key path that reads nothing observable traps, and one of an actor's class traps outside the actor.
public struct KeyValueSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The sequence throws no error.
    public typealias Failure = Never

    let source: any SequenceSource<Element>
    private var request: SequenceRequest

    init(_ source: any SequenceSource<Element>, _ request: SequenceRequest) {
        (self.source, self.request) = (source, request)
    }

    // MARK: Settings

    /// The sequence with a policy for the changes that wait; without one, all of them do.
    ///
    /// ```swift
    /// let latest = person.values(of: \.age).buffer(policy: .bufferingNewest(1))
    /// ```
    ///
    /// - Precondition: The policy lets at least one change wait.
    public func buffer(policy: KeyValueBufferingPolicy) -> Self {
        if let bound = policy.bound, bound < 1 {
            fatalError(
                """
                A sequence of \(source.name(request)) cannot have the buffering policy \(policy.text): at \
                least 1 change must be able to wait. Use .bufferingNewest(1), .bufferingOldest(1), .finishing(after: 1), or \
                .unbounded.
                """, file: request.fileID, line: request.line)
        }
        return with { $0.policy = policy }
    }

    /// The sequence with a label for its registrations: see ``KeyValueObservation/label``.
    public func labeled(_ label: String) -> Self { with { $0.label = label } }

    /// The sequence without values that equal the one delivered before.
    ///
    /// A value that equals the newest one that still waits takes no place. Values are compared on the thread that
    /// changes them, and again where one is consumed. Changes are not values: for `changes(of:options:)`, use
    /// ``KeyValueObservingOptions/distinct``.
    public func removeDuplicates() -> Self where Element: Equatable { with { $0.removesDuplicates = true } }

    private func with(_ change: (inout SequenceRequest) -> Void) -> Self {
        var copy = self
        change(&copy.request)
        return copy
    }

    // MARK: Iterating

    /// Begins an iteration, which gets each change made after this, and ends at once if the object is gone.
    public func makeAsyncIterator() -> Iterator {
        Iterator(iteration: Iteration(of: source, request), element: source.element)
    }

    /// Begins an iteration synchronously, for a loop that comes later or runs in another task.
    ///
    /// ```swift
    /// let ages = person.changes(of: \.age).stream()
    /// person.age = 18
    /// for await change in ages {
    ///     print(change)       // prints "setting of age, 0 → 18"
    ///     break
    /// }
    /// ```
    ///
    /// Functions that combine sequences iterate in tasks of their own, where a model that belongs to an actor must not be
    /// read. The stream is registered where you make it, and may be iterated anywhere, by one task.
    public func stream() -> AsyncStream<Element> {
        let iteration = Iteration(of: source, request)
        return AsyncStream { [element = source.element] in await iteration?.next(isolation: nil).map(element) }
    }

    /// Registers, and lets a delivery consume the changes.
    func deliver(to delivery: some InboxDelivery) -> KeyValueObservation {
        source.fill(request, for: delivery)?.observation ?? KeyValueObservation([])
    }

    /// Waits for the first element that satisfies a condition.
    ///
    /// ```swift
    /// person.age = 18
    /// if let age = await person.values(of: \.age).first(where: { $0 >= 18 }) { print(age) }      // prints "18"
    /// ```
    ///
    /// The registration ends before it returns. Unlike the function of the protocol, it runs in the caller's isolation.
    ///
    /// - Returns: The element; nil when the object has died before there was one, and once the task has been canceled.
    /// - Throws: Any error that `predicate` throws.
    public func first(where predicate: (Element) throws -> Bool) async rethrows -> Element? {
        var iterator = makeAsyncIterator()
        while let element = await iterator.next() {
            if try predicate(element) { return element }
        }
        return nil
    }

    /// An iterator over the elements; its copies are the same iterator.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let iteration: Iteration?
        fileprivate let element: @Sendable (TakenChange) -> Element

        /// How many changes the policy has dropped.
        public var droppedCount: Int { iteration?.droppedCount ?? 0 }

        /// Whether more changes waited than ``KeyValueBufferingPolicy/finishing(after:)`` allows, so that the sequence ends.
        public var hasOverflowed: Bool { iteration?.hasOverflowed ?? false }

        /// Waits for the next element.
        ///
        /// - Returns: The element; nil when the object has died and nothing waits, and once the task has been canceled.
        public mutating func next() async -> Element? { await next(isolation: #isolation) }

        /// Waits for the next element, without leaving an isolation.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            guard let change = await iteration?.next(isolation: actor) else { return nil }
            return element(change)
        }
    }
}

@available(*, unavailable)
extension KeyValueSequence.Iterator: Sendable {}
