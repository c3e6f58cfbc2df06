// The line printed for a change.

/// Makes the lines printed for changes.
enum ChangeLine {
    /// The line for a change, such as `total of Cart: 1 → 2, in the handler at Shop/Cart.swift:40`.
    static func text(of change: KeyValueTrace.Event, in ring: EventRing) -> String {
        var text = change.subject ?? "a property"
        if let elements = change.elements { text += ", \(elements)" }
        text += ": \(change.oldValue ?? "·") → \(change.newValue ?? "·")"
        if let origin = Explanation.origin(of: change, { ring[$0] }) { text += ", \(origin)" }
        return text
    }
}
