// What a change of a property means to a path.

/// What a change of a property means to one path that leads through it.
final class PathChange: PathReport, @unchecked Sendable {
    let path: ObservedPath
    /// What the path is; nil while a manual change waits for its end, so that nothing of a registration outlives it.
    private(set) var core: PathCore?
    /// How the path's values are made of the property's, if the path ended there when the change began.
    let leaf: PathLeaf?
    /// Whether the change is announced as one of the path's own key path.
    let isAnnounced: Bool
    /// What was known of the path when the change began.
    private var start: Engagement<BoxedValue>.Start
    /// The number of what observers had been notified of when the path was found to lead through the property: before
    /// the change began.
    private(set) var foundVersion: Int
    /// Whether observers are only notified of what others had to defer.
    let isQuiet: Bool
    // Only the thread that makes the change uses these.
    /// How the path's values are made of the property's, if some of its elements change and the path's value was seen
    /// to be what the property stores.
    var storedLeaf: PathLeaf?
    /// The number of what observers had been notified of right before the elements changed, if that was noted.
    private var versionBefore: Int?
    /// Whether others had to defer something.
    var isDeferred = false
    /// Whether the path is blocked for this change, which may evaluate it all the same.
    var hasBlocked = false
    /// The new value.
    var new: BoxedValue?
    /// The number of what observers had been notified of when it was read.
    var version = 0

    /// Begins what a change means to a path, which has to be ended by the path.
    init(
        _ member: PathRecipients, leaf: PathLeaf? = nil, newestNumber: RegistrationNumber,
        isAnnounced: Bool = false, isQuiet: Bool = false
    ) {
        path = member.path
        core = member.core
        self.leaf = leaf
        self.isAnnounced = isAnnounced
        self.isQuiet = isQuiet
        start = member.path.beginChange(needingOld: member.needsOld, isLeaf: leaf != nil)
        foundVersion = member.version ?? start.version
        super.init(newestNumber: newestNumber)
    }

    /// Forgets what a change brought.
    func clear() {
        storedLeaf = nil
        versionBefore = nil
        forgetReport()
    }

    /// Begins what another change means to the path.
    func beginAgain(for member: PathRecipients) {
        start = path.beginChange(needingOld: member.needsOld, isLeaf: leaf != nil)
        foundVersion = member.version ?? start.version
    }

    /// Finds the value before the change, if it is needed and nobody knows it.
    ///
    /// - Parameters:
    ///   - object: The object that changes.
    ///   - announced: The value of the key path that is announced, if it was read.
    ///   - version: The version of its path before it was read.
    func findOldValue(of object: AnyObject, announced: BoxedValue? = nil, readAt version: Int? = nil) {
        guard let use = start.oldValueUse, let core, let root = root(or: object) else { return }
        // Observers may have been notified of another one since, by a change on another thread.
        let isCurrent = isAnnounced && version == startVersion
        path.noteOldValue((isCurrent ? announced : nil) ?? core.value(from: root), for: use)
    }

    /// Finds the value before the change if only registrations need it that were made since that began.
    func findOldValueForNewcomers(of object: AnyObject) {
        guard leaf == nil, !path.isBlocked, let root = root(or: object) else { return }
        path.findOldValue(from: root)
    }

    /// The new value that observers are called with, if it was read.
    var newValue: BoxedValue? {
        switch values {
        case .own(_, let new): new
        case .madeOld(_, let new): new
        case .none, .made: nil
        }
    }

    /// Forgets what observers are called with.
    ///
    /// Once they have been called before the change, nothing is kept alive for them until it is made. If one of them ends
    /// the change inside that call, the values of the call are not taken for those of the change.
    func forgetReport() {
        root = nil
        values = .none
    }

    /// Whether observers are called with a new value, or elements, of the property itself.
    var needsNewOfProperty: Bool {
        if case .made = values { path.registrations.needs.contains(.new) } else { false }
    }

    /// Lets go of what the path is until `takeUp`.
    func letGo() { core = nil }

    /// Finds out what the path is, unless it has ended.
    func takeUp() { core = path.core }

    /// The object that the path starts at, if it lives; one whose change is announced may do so in its `deinit`.
    func root(or object: AnyObject) -> AnyObject? {
        core?.root ?? (isAnnounced && core?.isRoot(object) ?? false ? object : nil)
    }

    /// The number of what observers had been notified of when the change began.
    var startVersion: Int { start.version }

    /// Notes that some elements are about to change.
    func noteVersion() { versionBefore = path.knownVersion }

    /// Whether observers were notified of nothing between the change and the reading of the new value.
    var isFirst: Bool { version == versionBefore ?? startVersion }

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
