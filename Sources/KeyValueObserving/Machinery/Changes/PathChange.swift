// What a change means to a path.

/// What a change means to one path that leads through the property that changes.
struct PathChange {
    let path: ObservedPath
    /// Keeps the root alive while its observers are told.
    let root: AnyObject
    var old: AnyValue?
    var new: AnyValue?
    /// How some elements of the path's value change, if the property is the end of the path and no more is set.
    var elements: ElementsChange?

    /// The same change once it was made: the path is followed to where it leads now.
    ///
    /// - Parameters:
    ///   - change: The change of the property.
    ///   - new: Points to the property's own new value, or the new elements, as an optional.
    ///   - toldEarlier: What the observers were told last by a change inside this one.
    /// - Returns: What the path's observers are told.
    func did(_ change: OpenChange, new: UnsafeRawPointer, toldEarlier: AnyValue?) -> PathChange {
        var result = self
        if let elements, let value = unsafe path.did(elements, new: new, in: change, from: root) {
            result.new = value
            return result
        }
        if let elements {
            // A prior handler led the path elsewhere, which its observers were told, or an override shows something
            // else from now on.
            result.elements = nil
            result.old = old.map { unsafe toldEarlier ?? path.value(before: elements, old: $0, new: new) }
        }
        result.new = path.rewire(from: root)
        return result
    }
}
