// What is observed, to be taken one by one or delivered elsewhere.

/// Changes or values of an object, one after the other: iterate over them, or have them delivered elsewhere.
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
/// | `transitions(of:)`, `transitions(reading:)` | the old and the new value, where they differ |
///
/// | taken by | an element is handled |
/// |---|---|
/// | `for await` | in the task that iterates |
/// | ``deliver(to:_:)`` | in an actor |
/// | ``deliverOnMainActor(_:)`` | on the main actor |
/// | `deliver(on:_:)` | on an executor or queue |
/// | `deliver…(…, by:)` | there, with the observer of a controller |
///
/// ### Order and threads
///
/// Each iterator and each delivery is a registration of its own. Making one is a read of what is observed.
///
/// Nothing is handled inside the change. Each change that is made after the registration comes once, with the values
/// from the time of the change, unless the ``KeyValueBufferingPolicy`` drops it. Changes of a key path that one thread makes
/// come in their order. What is there at the registration (`.initial`, the first of `values(of:)`) comes before them, and waits
/// as they do. Values and transitions of a collection are whole, also where some of its elements change.
///
/// ### Lifetime
///
/// A registration keeps neither the object nor an actor. It ends with the iterator or the token, when the task that
/// iterates is canceled, or when the object or the actor dies. What waits when the object dies is still handled.
///
/// ### Traps
///
/// `.prior` traps, because nothing is handled before the change. So does a policy with a number below 1. When it is
/// taken, a sequence of a key path that reads nothing observable traps, and one of an actor's class traps outside the
/// actor.
public struct KeyValueSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Nothing is thrown.
    public typealias Failure = Never

    let source: any SequenceSource<Element>

    /// Begins an iteration, which gets each change made after this, and ends at once if the object is gone.
    public func makeAsyncIterator() -> Iterator { Iterator(iteration: Iteration(of: source)) }

    /// Begins an iteration now, for a task that runs elsewhere.
    ///
    /// Functions that combine sequences iterate in tasks of their own, where a model that belongs to an actor must not be
    /// read. The stream is registered where you make it, and may be iterated anywhere, by one task.
    public func makeStream() -> AsyncStream<Element> {
        let iteration = Iteration(of: source)
        return AsyncStream { await iteration?.next(isolation: nil) }
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
    /// - Throws: What `predicate` throws.
    public func first(where predicate: (Element) throws -> Bool) async rethrows -> Element? {
        var iterator = makeAsyncIterator()
        while let element = await iterator.next() {
            if try predicate(element) { return element }
        }
        return nil
    }

    /// Gives the elements one after the other; copies are the same iterator.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let iteration: Iteration<Element>?

        /// How many changes the policy has dropped.
        public var droppedCount: Int { iteration?.droppedCount ?? 0 }

        /// Waits for the next element.
        ///
        /// - Returns: The element; nil when the object has died and nothing waits, and once the task has been canceled.
        public mutating func next() async -> Element? { await iteration?.next(isolation: #isolation) }

        /// Waits for the next element, without leaving an isolation.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await iteration?.next(isolation: actor)
        }
    }
}

@available(*, unavailable)
extension KeyValueSequence.Iterator: Sendable {}
