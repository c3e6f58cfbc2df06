// The values of a key path as an asynchronous sequence.

/// The value of a key path and each new one: what ``KeyValueObservable/values(of:bufferingPolicy:fileID:line:)`` returns.
///
/// Each iterator is a registration of its own. It begins when the iterator is made, and ends when the iterator is released,
/// when its task is canceled, or when the object dies. The sequence keeps the object no more alive than a
/// ``KeyValueObservation`` does.
public struct KeyValueValues<Value: Sendable>: AsyncSequence, Sendable {
    /// A value of the key path.
    public typealias Element = Value
    /// Nothing is thrown.
    public typealias Failure = Never

    private let source: any IterationSource<Value>

    init(_ source: any IterationSource<Value>) {
        self.source = source
    }

    /// Begins an iteration, whose first value is that of now.
    ///
    /// It reads the key path, so it needs the same protection as a read. If the object is gone, the iteration ends at
    /// once.
    public func makeAsyncIterator() -> Iterator { Iterator(iteration: source.iterate()) }

    /// Waits for the first value that satisfies a condition: the one there is now, or a later one.
    ///
    /// ```swift
    /// person.age = 18
    /// if let age = await person.values(of: \.age).first(where: { $0 >= 18 }) { print(age) }      // prints "18"
    /// ```
    ///
    /// It makes an iterator, and ends the registration before it returns. It runs in the isolation of the caller, unlike the
    /// function of the same name that every asynchronous sequence has: so a model that belongs to an actor is read there.
    /// Each value is tested once, in order, with none left out unless the policy drops it.
    ///
    /// - Parameter predicate: Whether the value is the one that is waited for.
    /// - Returns: The value; nil when the object has died before there was one, and once the task has been canceled.
    /// - Throws: What `predicate` throws.
    public func first(where predicate: (Value) throws -> Bool) async rethrows -> Value? {
        var iterator = makeAsyncIterator()
        while let value = await iterator.next() {
            if try predicate(value) { return value }
        }
        return nil
    }

    /// Gives the value of a key path and each new one.
    ///
    /// Copies are the same iterator.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let iteration: ChangeIteration<Value>?

        /// Waits for the next value.
        ///
        /// - Returns: The value; nil when the object has died and nothing waits, and once the task has been canceled.
        public mutating func next() async -> Value? {
            await iteration?.next(isolation: #isolation)?.requiredNewValue
        }

        /// Waits for the next value, without leaving an isolation.
        ///
        /// - Parameter actor: The isolation.
        /// - Returns: The value; nil when the object has died and nothing waits, and once the task has been canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            await iteration?.next(isolation: actor)?.requiredNewValue
        }
    }
}

@available(*, unavailable)
extension KeyValueValues.Iterator: Sendable {}
