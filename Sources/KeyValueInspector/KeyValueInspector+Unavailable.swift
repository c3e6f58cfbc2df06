// The inspector's interface without its trait.
#if !Inspector
/// Not available: it is behind a trait of the package.
@available(
    *, unavailable, message: "enable the package's trait: .package(url: …, from: …, traits: [.defaults, \"Inspector\"])"
)
public enum KeyValueInspector {
    /// Starts the inspector.
    public static func start(port: UInt16 = 4777, capacity: Int = 0, valueLength: Int = 0, printsAddress: Bool = true) {
    }
}
#endif
