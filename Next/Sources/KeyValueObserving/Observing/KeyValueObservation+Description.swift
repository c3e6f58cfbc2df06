// A token as text, for debugging.

extension KeyValueObservation: CustomDebugStringConvertible {
    /// The key path of the registration, such as `KeyValueObservation of age`, or that it has ended.
    public var debugDescription: String {
        guard !isInvalidated, let keyPath else { return "KeyValueObservation, ended" }
        return "KeyValueObservation of \(PropertyNames.text(of: keyPath))"
    }
}
