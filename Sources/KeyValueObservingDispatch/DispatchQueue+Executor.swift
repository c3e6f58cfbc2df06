// Delivery on dispatch queues.
public import Dispatch
public import KeyValueObserving

/// Dispatch queues deliver changes: `person.changes(of: \.age).deliver(on: queue) { print($0) }`.
///
/// The handlers of one registration are called one after the other, on a concurrent queue as well. After `invalidate()`
/// has returned on the queue, if that is a serial one, no handler is called any more.
extension DispatchQueue: KeyValueChangeExecutor {
    /// Runs a job on the queue, asynchronously.
    ///
    /// - Parameter job: The job.
    public func execute(_ job: @escaping @Sendable () -> Void) {
        async(execute: job)
    }
}

extension KeyValueChangeExecutor where Self == DispatchQueue {
    /// The main queue: `person.values(of: \.age).deliver(on: .main) { print($0) }`.
    public static var main: DispatchQueue { DispatchQueue.main }

    /// A concurrent queue of the system: `person.values(of: \.age).deliver(on: .global()) { print($0) }`.
    ///
    /// - Parameter qos: The quality of service.
    /// - Returns: The queue.
    public static func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue {
        DispatchQueue.global(qos: qos)
    }
}
