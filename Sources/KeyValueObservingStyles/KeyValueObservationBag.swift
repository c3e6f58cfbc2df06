// What an owner keeps its registrations in.
public import KeyValueObserving

/// Keeps the registrations of one owner, and ends them when it is released.
///
/// Each ``KeyValueObservationOwner`` has one as a stored property. It may be used from any thread.
public final class KeyValueObservationBag: Sendable {
    @usableFromInline package let registrations = ControllerRegistrations(
        retainsObserved: false, duplicates: .ignoreRepeated)

    /// Creates an empty bag.
    public init() {}

    deinit {
        registrations.removeAll()
    }
}

extension KeyValueObservationBag: CustomDebugStringConvertible, CustomReflectable {
    /// What is observed with which options, such as `KeyValueObservationBag, observing Person at age [new, old]`.
    ///
    /// Safe from any thread. Observed objects are named by their types.
    public var debugDescription: String { "KeyValueObservationBag, observing \(registrations.summary)" }

    /// The mirror of a bag is empty: what it is made of may belong to objects that are gone.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
