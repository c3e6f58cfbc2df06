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
