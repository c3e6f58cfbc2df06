// A base class for operations that notify Foundation's queue and observers.
#if !canImport(ObjectiveC)
public import Foundation
public import KeyValueObserving

/// A base class for operations whose state can be observed.
///
/// Override ``main()``, as of any operation, if the work is done when it returns. If the work goes on after that,
/// override ``main(_:)`` instead; the operation then finishes when its completion is finished or released.
///
/// <!-- snippet: nonisolated, because an operation runs on any thread -->
/// ```swift
/// import Foundation
/// import KeyValueObservingFoundation
///
/// final class Wait: NotifyingOperation, @unchecked Sendable {
///     override func main(_ completion: Completion) {
///         DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { completion.finish() }
///     }
/// }
///
/// let wait = Wait()
/// let token = wait.observe(\.isFinished, options: .new) { @Sendable _, change in      // on any thread
///     print("finished: \(change.requiredNewValue)")
/// }
/// let queue = OperationQueue()
/// queue.addOperation(wait)
/// queue.waitUntilAllOperationsAreFinished()           // prints "finished: true"
/// ```
///
/// `isExecuting`, `isFinished`, `isCancelled` and `isReady` announce their changes to observers and to Foundation's
/// queue. A subclass may add properties of its own with `@Observed`.
///
/// A class that inherits from `Operation` itself can conform to `KeyValueObservable`, but must not announce these four
/// with `willChangeValue(for:)`: the compiler takes Foundation's method of that name, which notifies no observer.
///
/// ### Observable changes of `isReady`
///
/// Changes by `addDependency`, `removeDependency` and `cancel`, and by the end of a dependency that inherits from this
/// class. Only Foundation knows when any other operation finishes, so observers are not notified then.
///
/// ### Threads
///
/// The four properties may be read and changed on any thread. Handlers are called on the thread of the change: the one
/// on which Foundation starts the operation, or on which `finish()` or `cancel()` is called. If `cancel()` is called
/// while a dependency ends on another thread, observers of `isReady` may be called twice with the change from false to
/// true.
///
/// A handler reads the new value, so another thread may read it before the handler has been called. Foundation's
/// `waitUntilFinished()` and `addOperations(_:waitUntilFinished:)` look at `isFinished` and may return just as early.
/// The queue's `waitUntilAllOperationsAreFinished()` returns when the observers have been called.
open class NotifyingOperation: Operation, KeyValueObservable, @unchecked Sendable {
    /// The operation's registrar.
    public let keyValueRegistrar = KeyValueRegistrar()
    private let state = Guarded(OperationState())

    deinit {
        // Foundation would go on to call it when they finish.
        for dependency in dependencies {
            super.removeDependency(dependency)
            (dependency as? NotifyingOperation)?.state.withLock { $0.remove(self) }
        }
    }

    /// True, so that a queue does not regard the operation as finished when `main()` returns.
    open override var isAsynchronous: Bool { true }

    /// Whether the work has begun and not ended.
    public final override var isExecuting: Bool {
        accessValue(for: \.isExecuting)
        return state.withLock { $0.phase == .executing }
    }

    /// Whether the work has ended, or will not begin any more.
    public final override var isFinished: Bool {
        accessValue(for: \.isFinished)
        return state.withLock { $0.phase == .finished }
    }

    /// Whether the operation has been canceled.
    public final override var isCancelled: Bool {
        accessValue(for: \.isCancelled)
        return super.isCancelled
    }

    /// Whether all operations that this one depends on have finished.
    public final override var isReady: Bool {
        accessValue(for: \.isReady)
        return super.isReady
    }

    /// Begins the work: calls `main()`, or finishes at once if the operation is canceled.
    ///
    /// Queues call it. A second call traps.
    public final override func start() {
        switch state.withLock({ $0.begin() }) {
        case .begins: break
        case .hasEnded: return
        case .hasBegun:
            preconditionFailure(
                "\(type(of: self)) was started twice. Add it to one queue, or call start() once, and not both.")
        }
        if super.isCancelled { return finish() }
        announce([\.isExecuting]) {
            if state.withLock({ $0.execute() }) { notifyQueue("isExecuting") }
        }
        let completion = Completion(self)
        // Handlers and other threads may have finished it meanwhile.
        if state.withLock({ $0.accept(completion) }) { main(completion) }
    }

    /// Does the work, which is done when this returns.
    ///
    /// Override it, without calling `super`. It does nothing by default.
    open override func main() {}

    /// Begins work that may go on after this returns.
    ///
    /// By default it calls ``main()`` and finishes. Override it, without calling `super`, if the work goes on. Keep the
    /// completion until the work ends, and finish it. Releasing the completion also finishes the operation, so a queue
    /// never waits for a lost one.
    ///
    /// - Parameter completion: The completion that ends the operation.
    open func main(_ completion: Completion) {
        main()
        completion.finish()
    }

    /// Ends an operation, at the latest when the last reference to the completion is released.
    ///
    /// It retains the operation until the operation has ended. You may use it on any thread.
    public final class Completion: Sendable {
        private let operation: Guarded<NotifyingOperation?>

        fileprivate init(_ operation: NotifyingOperation) {
            self.operation = Guarded(operation)
        }

        deinit { finish() }

        /// Ends the operation when its work is done.
        ///
        /// Further calls do nothing.
        public func finish() { takeOperation()?.finish() }

        /// Releases the operation, and returns it if this is the first time.
        fileprivate func takeOperation() -> NotifyingOperation? {
            operation.withLock { operation in
                defer { operation = nil }
                return operation
            }
        }
    }

    /// Ends the operation.
    ///
    /// A completion calls it. Call it yourself, on any thread, to end the operation early. Further calls do nothing. If
    /// you call it before `start()` has begun the work, the work never begins.
    public final func finish() {
        guard let (wasExecuting, completion) = state.withLock({ $0.end() }) else { return }
        _ = completion?.takeOperation()
        let changes: [KeyPath<NotifyingOperation, Bool>] =
            wasExecuting ? [\.isExecuting, \.isFinished] : [\.isFinished]
        announce(changes) { state.withLock { $0.phase = .finished } }
        // These include dependents that handlers have added.
        let dependents = state.withLock { $0.takeDependents() }
        // Now Foundation lets the dependents begin. There may be thousands, so their changes are not nested in calls.
        for dependent in dependents { Self.will(\.isReady, of: dependent) }
        if wasExecuting { notifyQueue("isExecuting") }
        notifyQueue("isFinished")
        for dependent in dependents { Self.did(\.isReady, of: dependent) }
        // Another thread may have added dependents before Foundation knew.
        for dependent in state.withLock({ $0.takeLastDependents() }) { dependent.announce([\.isReady]) {} }
    }

    /// Cancels the operation, which may then end early.
    ///
    /// An operation that has not begun finishes when it is started.
    open override func cancel() {
        guard !super.isCancelled, state.withLock({ $0.phase != .finished }) else { return }
        announce([\.isCancelled, \.isReady]) { super.cancel() }
    }

    /// Makes this operation wait for another one.
    open override func addDependency(_ op: Operation) {
        (op as? NotifyingOperation)?.state.withLock { $0.add(self) }
        announce([\.isReady]) { super.addDependency(op) }
    }

    /// Removes another operation from those that this one waits for.
    open override func removeDependency(_ op: Operation) {
        announce([\.isReady]) { super.removeDependency(op) }
        (op as? NotifyingOperation)?.state.withLock { $0.remove(self) }
    }

    private func notifyQueue(_ key: String) { didChangeValue(forKey: key) }

    private func announce(_ keyPaths: [KeyPath<NotifyingOperation, Bool>], _ body: () -> Void) {
        for keyPath in keyPaths { Self.will(keyPath, of: self) }
        body()
        for keyPath in keyPaths { Self.did(keyPath, of: self) }
    }

    // These call the methods of `KeyValueObservable`, which those of `Operation` with the same names hide.
    private static func will<Object: KeyValueObservable>(_ keyPath: KeyPath<Object, Bool>, of object: Object) {
        object.willChangeValue(for: keyPath)
    }

    private static func did<Object: KeyValueObservable>(_ keyPath: KeyPath<Object, Bool>, of object: Object) {
        object.didChangeValue(for: keyPath)
    }
}

/// The state of an operation, and the operations that wait for it.
private struct OperationState {
    enum Phase {
        case waiting
        case executing
        case finished
    }

    private struct Dependent {
        weak var operation: NotifyingOperation?
        /// Its place in the order in which dependents are notified.
        let number: Int
    }

    var phase = Phase.waiting
    private weak var completion: NotifyingOperation.Completion?
    private var hasBegun = false
    private var hasEnded = false
    /// Whether Foundation knows that the operation has finished, so that no other operation waits for it.
    private var isOver = false
    /// The dependents by address; a dependent that dies removes itself before another object can have its address.
    private var dependents: [ObjectIdentifier: Dependent] = [:]
    private var lastNumber = 0

    enum Start {
        case begins
        case hasBegun
        case hasEnded
    }

    mutating func begin() -> Start {
        defer { hasBegun = true }
        return hasBegun ? .hasBegun : hasEnded ? .hasEnded : .begins
    }

    /// - Returns: Whether it executes now; false if it has ended before.
    mutating func execute() -> Bool {
        guard !hasEnded else { return false }
        phase = .executing
        return true
    }

    /// - Returns: Whether the completion is what will end it; false if it has ended before.
    mutating func accept(_ completion: NotifyingOperation.Completion) -> Bool {
        guard !hasEnded else { return false }
        self.completion = completion
        return true
    }

    /// - Returns: Whether it was executing, and its completion; nil if it has ended before.
    mutating func end() -> (wasExecuting: Bool, completion: NotifyingOperation.Completion?)? {
        guard !hasEnded else { return nil }
        hasEnded = true
        return (phase == .executing, completion)
    }

    /// Removes and returns the operations that wait for it, in the order in which they came.
    mutating func takeDependents() -> [NotifyingOperation] {
        defer { dependents = [:] }
        return dependents.values.sorted { $0.number < $1.number }.compactMap(\.operation)
    }

    /// Removes and returns the operations that came since, when Foundation knows that this one has finished.
    mutating func takeLastDependents() -> [NotifyingOperation] {
        isOver = true
        return takeDependents()
    }

    mutating func add(_ operation: NotifyingOperation) {
        guard !isOver else { return }
        lastNumber += 1
        dependents[ObjectIdentifier(operation)] = Dependent(operation: operation, number: lastNumber)
    }

    mutating func remove(_ operation: NotifyingOperation) {
        dependents[ObjectIdentifier(operation)] = nil
    }
}
#endif
