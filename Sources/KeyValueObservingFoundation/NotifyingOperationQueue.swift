// Observing the settings of an operation queue.
#if !canImport(ObjectiveC)
public import Foundation
import KeyValueObserving
public import KeyValueObservingSwizzling

/// An `OperationQueue` whose settings can be observed.
///
/// ```swift
/// import Foundation
/// import KeyValueObservingFoundation
///
/// var queue = OperationQueue()
/// let notifying = try NotifyingOperationQueue.makeObservable(&queue)
/// let token = notifying.observe(\.isSuspended, options: .new) { print("suspended: \($1.requiredNewValue)") }
/// queue.isSuspended = true                            // prints "suspended: true"
/// ```
///
/// You can observe `name`, `isSuspended`, `maxConcurrentOperationCount` and `qualityOfService`. Observing `operations`
/// and `operationCount` traps, because they cannot be overridden and an operation leaves its queue inside Foundation.
/// Observe the operations instead; see ``NotifyingOperation``.
///
/// Handlers are called on the thread that sets the property, before the assignment returns.
public final class NotifyingOperationQueue: OperationQueue, NotifyingSubclass, @unchecked Sendable {
    /// The name of the queue.
    public override var name: String? {
        get {
            accessValue(for: \.name)
            return super.name
        }
        set { changeValue(for: \.name) { super.name = newValue } }
    }

    /// Whether the queue is suspended, so that it starts no operations.
    public override var isSuspended: Bool {
        get {
            accessValue(for: \.isSuspended)
            return super.isSuspended
        }
        set { changeValue(for: \.isSuspended) { super.isSuspended = newValue } }
    }

    /// How many operations run at the same time.
    public override var maxConcurrentOperationCount: Int {
        get {
            accessValue(for: \.maxConcurrentOperationCount)
            return super.maxConcurrentOperationCount
        }
        set { changeValue(for: \.maxConcurrentOperationCount) { super.maxConcurrentOperationCount = newValue } }
    }

    /// The importance of the queue's operations.
    public override var qualityOfService: QualityOfService {
        get {
            accessValue(for: \.qualityOfService)
            return super.qualityOfService
        }
        set { changeValue(for: \.qualityOfService) { super.qualityOfService = newValue } }
    }
}
#endif
