// The changes of a key path as an asynchronous sequence.

/// The changes of a key path, one after the other: what ``KeyValueObservable/changes(of:options:bufferingPolicy:fileID:line:)``
/// returns.
///
/// Each iterator is a registration of its own. It begins when the iterator is made, and ends when the iterator is released,
/// when its task is canceled, or when the object dies. The sequence keeps the object no more alive than a
/// ``KeyValueObservation`` does.
public struct KeyValueChanges<Value: Sendable>: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = KeyValueObservedChange<Value>
    /// Nothing is thrown.
    public typealias Failure = Never

    private let source: any IterationSource<Value>

    init(_ source: any IterationSource<Value>) {
        self.source = source
    }

    /// Begins an iteration, which gets each change made after this.
    ///
    /// It reads the key path, so it needs the same protection as a read. If the object is gone, the iteration ends at
    /// once.
    public func makeAsyncIterator() -> Iterator { Iterator(iteration: source.iterate()) }

    /// Waits for the first change that satisfies a condition.
    ///
    /// It makes an iterator, and ends the registration before it returns. It runs in the isolation of the caller, unlike the
    /// function of the same name that every asynchronous sequence has: so a model that belongs to an actor is read there.
    ///
    /// - Parameter predicate: Whether the change is the one that is waited for.
    /// - Returns: The change; nil when the object has died before there was one, and once the task has been canceled.
    /// - Throws: What `predicate` throws.
    public func first(where predicate: (KeyValueObservedChange<Value>) throws -> Bool) async rethrows
        -> KeyValueObservedChange<Value>?
    {
        var iterator = makeAsyncIterator()
        while let change = await iterator.next() {
            if try predicate(change) { return change }
        }
        return nil
    }

    /// Gives the changes of a key path, one after the other.
    ///
    /// Copies are the same iterator.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let iteration: ChangeIteration<Value>?

        /// Waits for the next change.
        ///
        /// - Returns: The change; nil when the object has died and nothing waits, and once the task has been canceled.
        public mutating func next() async -> KeyValueObservedChange<Value>? {
            await iteration?.next(isolation: #isolation)
        }

        /// Waits for the next change, without leaving an isolation.
        ///
        /// - Parameter actor: The isolation.
        /// - Returns: The change; nil when the object has died and nothing waits, and once the task has been canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> KeyValueObservedChange<Value>? {
            await iteration?.next(isolation: actor)
        }
    }
}

@available(*, unavailable)
extension KeyValueChanges.Iterator: Sendable {}
