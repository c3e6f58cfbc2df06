// What a change means to a path.

/// What a change means to one path that leads through the property that changes.
final class PathChange {
    let path: ObservedPath
    /// Keeps the root alive while its observers are told.
    let root: AnyObject
    // The lock of the open change makes accesses exclusive.
    @safe @exclusivity(unchecked) var old: AnyValue?
    @safe @exclusivity(unchecked) var new: AnyValue?
    /// How some elements of the path's value change, if the property is the end of the path and no more is set.
    @safe @exclusivity(unchecked) var elements: ElementsChange?

    init(path: ObservedPath, root: AnyObject, old: AnyValue?, new: AnyValue? = nil, elements: ElementsChange? = nil) {
        self.path = path
        self.root = root
        self.old = old
        self.new = new
        self.elements = elements
    }

    /// The same change once elements were changed: the path is followed to where it leads now.
    ///
    /// - Parameters:
    ///   - change: The change of the property.
    ///   - elements: How they changed.
    ///   - new: Points to the new elements, as an optional.
    ///   - toldEarlier: What the observers were told last by a change inside this one.
    /// - Returns: What the path's observers are told.
    func did(
        _ change: OpenChange, _ elements: ElementsChange, new: UnsafeRawPointer, toldEarlier: AnyValue?
    ) -> PathChange {
        if let value = unsafe path.did(elements, new: new, in: change, from: root) {
            return PathChange(path: path, root: root, old: old, new: value, elements: elements)
        }
        // A prior handler led the path elsewhere, which its observers were told, or an override shows something else
        // from now on.
        let whole = old.map { unsafe toldEarlier ?? path.value(before: elements, old: $0, new: new) }
        return PathChange(path: path, root: root, old: whole, new: path.rewire(from: root))
    }

    /// Lets go of the values, and gives what held them to a list that keeps it.
    func empty(into list: OpenChanges) {
        if let old = AnyValue.empty(&old) { list.keep(old) }
        if let new = AnyValue.empty(&new) { list.keep(new) }
    }
}

/// What a change means to the paths that lead through the property; usually it is one path.
struct PathChanges {
    private(set) var first: PathChange?
    private var rest: [PathChange] = []

    var count: Int { first == nil ? 0 : 1 + rest.count }

    subscript(index: Int) -> PathChange {
        get {
            if index == 0, let first { return first }
            return rest[index - 1]
        }
        set {
            if index == 0 { first = newValue } else { rest[index - 1] = newValue }
        }
    }

    func change(of path: ObservedPath) -> PathChange? {
        if let first, first.path === path { return first }
        return rest.isEmpty ? nil : rest.first { $0.path === path }
    }

    mutating func append(_ change: PathChange) {
        if first == nil { first = change } else { rest.append(change) }
    }
}
