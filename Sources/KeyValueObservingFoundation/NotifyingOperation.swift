// Operations of your own whose state notifies Foundation's queue and observers.
#if !canImport(ObjectiveC)
public import Foundation
public import KeyValueObserving

/// A base class for asynchronous operations whose state can be observed.
///
/// Override `main()` to begin the work, and call ``finish()`` when it is done:
///
/// <!-- snippet: nonisolated, because an operation runs on any thread -->
/// ```swift
/// import Foundation
/// import KeyValueObservingFoundation
///
/// final class Wait: NotifyingOperation, @unchecked Sendable {
///     override func main() {
///         DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { self.finish() }
///     }
/// }
///
/// let wait = Wait()
/// let token = wait.observe(\.isFinished, options: .new) { @Sendable _, change in      // on any thread
///     print("finished: \(change.newValue!)")
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
/// ### What is seen of `isReady`
///
/// Changes by `addDependency`, `removeDependency` and `cancel`, and that a dependency finishes, if it inherits from
/// this class. That another operation finishes is known to Foundation alone, so nobody is notified then.
///
/// ### Threads
///
/// The four properties may be read and changed on any thread. Handlers are called on the thread of the change: where
/// Foundation starts the operation, where `finish()` or `cancel()` is called. Where `cancel()` meets the end of a
/// dependency on another thread, observers of `isReady` may be called twice with the change from false to true.
open class NotifyingOperation: Operation, KeyValueObservable, @unchecked Sendable {
    /// Leads to the operation's registrations.
    public let keyValueRegistrar = KeyValueRegistrar()
    private let state = Guarded(OperationState())

    deinit {
        // Foundation would go on to call it when they finish.
        for dependency in dependencies {
            super.removeDependency(dependency)
            (dependency as? NotifyingOperation)?.state.withLock { $0.remove(self) }
        }
    }

    /// True: a queue does not take the return from `main()` for the end.
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

    /// Whether somebody has asked the operation to end early.
    public final override var isCancelled: Bool {
        accessValue(for: \.isCancelled)
        return super.isCancelled
    }

    /// Whether all operations that this one depends on have finished.
    public final override var isReady: Bool {
        accessValue(for: \.isReady)
        return super.isReady
    }

    /// Begins the work: calls `main()`, or finishes at once if the operation is cancelled.
    ///
    /// Queues call it. It traps if it is called twice.
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
        // Handlers and other threads may have finished it meanwhile.
        if state.withLock({ $0.phase == .executing }) { main() }
    }

    /// Begins the work.
    ///
    /// Override it, without calling `super`, and call ``finish()`` when the work is done.
    open override func main() { finish() }

    /// Ends the operation.
    ///
    /// Call it once the work is done, on any thread; further calls do nothing. If you call it before `start()` has called
    /// `main()`, that is not called any more.
    public final func finish() {
        guard let ended = state.withLock({ $0.end() }) else { return }
        let changes: [KeyPath<NotifyingOperation, Bool>] =
            ended.wasExecuting ? [\.isExecuting, \.isFinished] : [\.isFinished]
        announce(changes) { state.withLock { $0.phase = .finished } }
        // Now Foundation lets the dependents begin. There may be thousands, so their changes are not nested in calls.
        for dependent in ended.dependents { Self.will(\.isReady, of: dependent) }
        if ended.wasExecuting { notifyQueue("isExecuting") }
        notifyQueue("isFinished")
        for dependent in ended.dependents { Self.did(\.isReady, of: dependent) }
    }

    /// Asks the operation to end early.
    ///
    /// One that has not begun finishes when it is started.
    open override func cancel() {
        guard !super.isCancelled, state.withLock({ $0.phase != .finished }) else { return }
        announce([\.isCancelled, \.isReady]) { super.cancel() }
    }

    /// Makes this operation wait for another one.
    open override func addDependency(_ op: Operation) {
        (op as? NotifyingOperation)?.state.withLock { $0.add(self) }
        announce([\.isReady]) { super.addDependency(op) }
    }

    /// Makes this operation wait for another one no more.
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

    // These call the methods of `KeyValueObservable`, which `Operation` hides by others of the same names.
    private static func will<Object: KeyValueObservable>(_ keyPath: KeyPath<Object, Bool>, of object: Object) {
        object.willChangeValue(for: keyPath)
    }

    private static func did<Object: KeyValueObservable>(_ keyPath: KeyPath<Object, Bool>, of object: Object) {
        object.didChangeValue(for: keyPath)
    }
}

/// How far an operation is, and which others wait for it.
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
    private var hasBegun = false
    private var hasEnded = false
    /// By address; one that dies removes itself before another one can have its address.
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

    /// - Returns: What ends with it; nil if it has ended.
    mutating func end() -> (wasExecuting: Bool, dependents: [NotifyingOperation])? {
        guard !hasEnded else { return nil }
        hasEnded = true
        defer { dependents = [:] }
        return (phase == .executing, dependents.values.sorted { $0.number < $1.number }.compactMap(\.operation))
    }

    mutating func add(_ operation: NotifyingOperation) {
        guard !hasEnded else { return }
        lastNumber += 1
        dependents[ObjectIdentifier(operation)] = Dependent(operation: operation, number: lastNumber)
    }

    mutating func remove(_ operation: NotifyingOperation) {
        dependents[ObjectIdentifier(operation)] = nil
    }
}
#endif
