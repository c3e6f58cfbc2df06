// What a change of a property means to a path.

/// What a change of a property means to one path that leads through it.
struct PathChange {
    let path: ObservedPath
    let core: PathCore
    /// How the path's values are made of the property's, if the path ended there when the change began.
    let leaf: PathLeaf?
    /// Whether the change is announced as one of the path's own key path.
    let isAnnounced: Bool
    /// Whether its observers need the old value.
    let needsOld: Bool
    /// What the path's observers had been told when the change began.
    let startVersion: Int
    /// How the path's values are made of the property's, if some of its elements change and the path's value was seen to
    /// be what the property stores.
    var storedLeaf: PathLeaf?
    /// Whether observers are only notified of what others had to defer.
    var isQuiet = false
    /// Whether others had to defer something.
    var isDeferred = false
    /// Keeps the root alive while observers are called; nil until then, and if it is gone.
    var root: AnyObject?
    /// The new value, and what observers had been told when it was read.
    var new: (value: BoxedValue, version: Int)?
    var values = Values.none

    /// The values that observers are called with.
    enum Values {
        /// Nothing is delivered: the root is gone, or another change under way will do it.
        case none
        /// The property's values, or the elements of it that change.
        case made(PathLeaf)
        /// The property's old value, and a new one that was read.
        case madeOld(PathLeaf, new: BoxedValue)
        case own(old: BoxedValue?, new: BoxedValue?)
    }

    /// Notes the value before the change, if somebody needs it.
    ///
    /// That of the property is only needed by other changes, if they come to concern the path before this one ends.
    func readOldValue(of object: AnyObject) {
        guard let root = root(or: object) else { return }
        path.readOldValue(core, from: root, onlyForOthers: leaf != nil && !path.isShared)
    }

    /// The object that the path starts at, if it lives; one whose change is announced may do so in its `deinit`.
    func root(or object: AnyObject) -> AnyObject? {
        core.root ?? (isAnnounced && core.isRoot(object) ? object : nil)
    }

    /// Whether the path was led away from the property since the change began, of which its observers were notified.
    func isOver(for record: PropertyRecord) -> Bool {
        !isAnnounced && !isDeferred && path.knownVersion != startVersion && !path.depends(on: record)
    }

    /// The values before the change, for those who are called then.
    ///
    /// - Parameter isOfElements: Whether some elements change.
    /// - Returns: The values.
    func prior(isOfElements: Bool) -> Values {
        if isAnnounced, isOfElements { return .made(.same) }
        if !isAnnounced, path.isBlocked { return .none }
        if isOfElements, let storedLeaf { return .made(storedLeaf) }
        if let known = path.knownValue { return .own(old: known, new: nil) }
        if isAnnounced { return .made(.same) }
        return leaf.map { .made($0) } ?? .own(old: nil, new: nil)
    }
}
