// A controller as text, for debugging.

extension KVOController: CustomDebugStringConvertible {
    /// The observer's type, and what it observes with which options, such as
    /// `KVOController of Screen, observing Person at age [new, old]`.
    ///
    /// Safe from any thread. Observed objects are named by their types.
    public var debugDescription: String {
        for entry in registrations.all { KeyTable.noteNames(of: entry.objectType) }
        let entries = registrations.all.map { "\($0.objectType) at \($0.keyPathText) \($0.options)" }
        let owner =
            observer == nil ? "KVOController, whose \(Observer.self) is gone" : "KVOController of \(Observer.self)"
        return entries.isEmpty
            ? "\(owner), observing nothing" : "\(owner), observing \(entries.joined(separator: "; "))"
    }
}
