// Registrations among the cancellables of Combine or OpenCombine.
#if canImport(Combine) || OpenCombine
public import KeyValueObserving

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A registration can be stored and canceled like a subscription.
///
/// ```swift
/// var cancellables: Set<AnyCancellable> = []
/// person.observe(\.age) { person, change in print(change) }.store(in: &cancellables)
/// ```
extension KeyValueObservation: Cancellable {
    /// Ends the registration, as `invalidate()` does.
    public func cancel() { invalidate() }
}
#endif
