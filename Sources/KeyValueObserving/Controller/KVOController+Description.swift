// A controller as text, for debugging.

extension KVOController: CustomDebugStringConvertible {
    /// The observer's type, and what it observes with which options, such as
    /// `KVOController of Screen, observing Person at age [new, old]`.
    ///
    /// Safe from any thread. Observed objects are named by their types.
    public var debugDescription: String {
        let name = TypeName.text(of: Observer.self)
        let owner = observer == nil ? "KVOController, whose \(name) is gone" : "KVOController of \(name)"
        let entries = registrations.all.map { entry in
            PropertyNames.noteNames(of: entry.objectType)
            return "\(TypeName.text(of: entry.objectType)) at \(entry.keyPathText) \(entry.options)"
        }
        return "\(owner), observing \(entries.isEmpty ? "nothing" : entries.joined(separator: "; "))"
    }
}
