// Executors for handlers, such as an event loop or a thread with a queue.

/// Runs jobs asynchronously, one after the other.
///
/// Conform an event loop or a thread with a queue, and `deliver(on:_:)` of a ``KeyValueSequence`` runs handlers there:
///
/// ```swift
/// import Synchronization
///
/// /// Runs its jobs when it is pumped.
/// final class Pump: KeyValueChangeExecutor {
///     private let jobs = Mutex<[@Sendable () -> Void]>([])
///
///     func execute(_ job: @escaping @Sendable () -> Void) {
///         jobs.withLock { $0.append(job) }
///     }
///
///     func run() {
///         while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
///     }
/// }
/// ```
///
/// ```swift
/// let pump = Pump()
/// let observation = person.values(of: \.age).deliver(on: pump) { age in print(age) }
/// person.age = 18
/// pump.run()      // prints "0", then "18"
/// ```
///
/// Wrap a type that you do not own in a structure with an `execute(_:)` that passes the job on. Actors have their own
/// forms of `deliver`. `DispatchQueue` conforms in the product `KeyValueObservingDispatch`.
public protocol KeyValueChangeExecutor: Sendable {
    /// Accepts a job, and runs it once, asynchronously.
    ///
    /// A change calls it, on any thread, and a job calls it if another one is to follow. It must neither run the job
    /// itself nor wait.
    ///
    /// Run jobs one after the other, in the order in which they are accepted. A registration has no more than one job
    /// at a time, so its handlers never overlap, even if jobs do. The guarantee that no handler starts after
    /// ``KeyValueObservation/invalidate()`` has returned on the executor holds only if jobs do not overlap. If a job is
    /// dropped, nothing more is delivered to its registration.
    ///
    /// - Parameter job: Calls a handler once, or does nothing if nothing waits any more.
    func execute(_ job: @escaping @Sendable () -> Void)
}
