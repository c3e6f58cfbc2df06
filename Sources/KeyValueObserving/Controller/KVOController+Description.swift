// A controller as text, for debugging.

extension KVOController: CustomDebugStringConvertible {
    /// The observer's type, and what it observes with which options, such as
    /// `KVOController of Screen, observing Person at age [new, old]`.
    ///
    /// Safe from any thread. Observed objects are named by their types.
    public var debugDescription: String {
        let entries = registrations.all.map { entry in
            let keyPath =
                entry.text ?? entry.observation.keyPath.map { PropertyNames.text(of: $0) } ?? "an ended key path"
            return "\(entry.objectType) at \(keyPath) \(entry.options)"
        }
        let owner =
            observer == nil ? "KVOController, whose \(Observer.self) is gone" : "KVOController of \(Observer.self)"
        return entries.isEmpty
            ? "\(owner), observing nothing" : "\(owner), observing \(entries.joined(separator: "; "))"
    }
}
