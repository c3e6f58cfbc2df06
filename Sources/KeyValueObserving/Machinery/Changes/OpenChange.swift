// A change between its will and its did.

/// A change between its will and its did, while code of others may run: getters, priors, an access in place.
///
/// The open changes of a thread form a list, which serves three rules. A change of a property that is already changing
/// on this thread belongs to that change. What the observers of a path were told last is what every change calls old.
/// And while a property is accessed in place nobody may read it, so a path through it is told of changes inside by the
/// outer change, when the access has ended.
@usableFromInline
final class OpenChange {
    let property: PropertyIdentity
    private let object: AnyObject
    let table: ObservationTable
    /// Who is to be told: registrations that were made before this change began.
    @usableFromInline private(set) var audience: Audience
    private let lastMember: RegistrationID
    /// The key path by which the change was announced, if that was by hand.
    let keyPathByHand: AnyKeyPath?
    /// The property's own old value, of a change by hand; others keep it in their frame.
    var oldByHand: AnyValue?
    private let list: OpenChanges
    /// Behind a lock, for an access in place may end on another thread than that whose list it is on.
    private let state = Guarded(State())

    private struct State {
        /// What the change means to the paths through the property, whose old values are what was told last.
        var paths: [PathChange] = []
        /// What changes inside this one told observers of paths that it did not concern when it began.
        var toldEarlier: [(path: ObservedPath, value: AnyValue)] = []
        var isAccessed = false
        /// How many changes of the same property were announced by hand inside this one and have not ended.
        var nested = 0
    }

    /// Whether the property is being accessed in place.
    @usableFromInline var isAccessed: Bool {
        get { state.withLock { $0.isAccessed } }
        set { state.withLock { $0.isAccessed = newValue } }
    }

    /// Puts a change on the list of this thread, until its did.
    @usableFromInline
    convenience init(of property: PropertyIdentity, of object: some KeyValueObservable, for audience: Audience) {
        self.init(
            of: property, of: object, in: object.keyValueRegistrar.table(), for: audience, keyPathByHand: nil)
    }

    init(
        of property: PropertyIdentity, of object: AnyObject, in table: ObservationTable, for audience: Audience,
        keyPathByHand: AnyKeyPath?
    ) {
        self.property = property
        self.object = object
        self.table = table
        self.audience = audience
        self.keyPathByHand = keyPathByHand
        lastMember = Registration.newestID
        list = OpenChanges.makeOfThisThread()
        list.append(self)
    }

    /// Reads the old values of the paths through the property, and tells those who want to know before.
    ///
    /// - Parameter old: Points to the property's own old value as an optional.
    @usableFromInline
    func will(old: UnsafeRawPointer) {
        readOldValues()
        guard audience.hasPriors else { return }
        unsafe Delivery.run(to: audience, object: object, open: self, isPrior: true, old: old, new: nil)
        // A prior handler may have led a path here that did not come this way before.
        guard let current = currentAudience, current !== audience else { return }
        audience = current.limited(to: lastMember)
        readOldValues()
    }

    /// Reads the new values of the paths, follows them to where they lead now, and takes the change off the list.
    @usableFromInline
    func did() {
        // Getters run here, and old changes are released after the lock is left.
        let before = state.withLock { $0.paths }
        let paths = before.map { $0.did() }
        state.withLock { $0.paths = paths }
        withExtendedLifetime(before) {}
        let around = list.around(self)
        list.remove(self)
        for outer in around { outer.note(told: paths) }
    }

    /// Who would be told if the change began now.
    private var currentAudience: Audience? {
        guard let keyPathByHand else { return table.audience(of: property) }
        return table.audience(of: property, byHand: keyPathByHand)
    }

    /// What the change means to one of the paths through the property; nil if the path's root is gone.
    func change(of path: ObservedPath) -> PathChange? {
        state.withLock { $0.paths.first { $0.path === path } }
    }

    /// Reads the old values of paths that have none yet, unless their observers were told them by another change.
    private func readOldValues() {
        for path in audience.paths where change(of: path) == nil && !Self.isAccessed(path) {
            var told = state.withLock { $0.toldEarlier.last { $0.path === path }?.value }
            for outer in list.around(self) where told == nil { told = outer.change(of: path)?.old }
            if let change = path.will(told: told) { state.withLock { $0.paths.append(change) } }
        }
    }

    /// Notes what the observers of paths are about to be told by a change inside this one.
    private func note(told changes: [PathChange]) {
        let outdated = state.withLock { state in
            changes.compactMap { change -> AnyValue? in
                guard let value = change.new else { return nil }
                guard let index = state.paths.firstIndex(where: { $0.path === change.path }) else {
                    state.toldEarlier.append((change.path, value))
                    return nil
                }
                guard let old = state.paths[index].old else { return nil }
                state.paths[index].old = value
                return old
            }
        }
        // Released without the lock.
        withExtendedLifetime(outdated) {}
    }

    /// Notes that a change by hand of the same property began inside this one.
    func beginNested() { state.withLock { $0.nested += 1 } }

    /// Notes that such a change ended; false if there was none.
    func endNested() -> Bool {
        state.withLock { state in
            guard state.nested > 0 else { return false }
            state.nested -= 1
            return true
        }
    }

    /// Whether a property is changing on this thread.
    static func isOpen(_ property: PropertyIdentity, in table: ObservationTable) -> Bool {
        first { $0.table === table && $0.property == property } != nil
    }

    /// Whether a property on the way of a path is being accessed in place on this thread.
    private static func isAccessed(_ path: ObservedPath) -> Bool {
        first { $0.isAccessed && $0.audience.paths.contains { $0 === path } } != nil
    }

    static func first(where predicate: (OpenChange) -> Bool) -> OpenChange? {
        OpenChanges.ofThisThread?.around(nil).first(where: predicate)
    }
}
