// What objects keep of those who observed them.
import Synchronization

extension KeyValueObservable {
    /// Whether nobody observes a stored property, and nothing depends on one.
    public var isAsIfNeverObserved: Bool {
        (keyValueRegistrar.existingTable?.observedProperties.load(ordering: .relaxed) ?? 0) == 0
    }

    /// Whether the same holds for a property whose changes are announced.
    public func isAsIfNeverObserved(_ keyPath: AnyKeyPath) -> Bool {
        keyValueRegistrar.existingTable?.manualSource(at: KeyPathName(keyPath)) == nil
    }
}
