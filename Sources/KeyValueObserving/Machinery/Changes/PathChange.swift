// What a change means to a path.

/// What a change means to one path that leads through the property that changes.
struct PathChange {
    let path: ObservedPath
    /// Keeps the root alive while its observers are told.
    let root: AnyObject
    var old: AnyValue?
    var new: AnyValue?

    /// The same change once it was made: the path is followed to where it leads now.
    func did() -> PathChange {
        var change = self
        change.new = path.rewire(from: root)
        return change
    }
}
