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
    /// How the change was announced, if that was by hand.
    let announcement: Announcement?
    /// How some elements change, unless the whole value is set.
    private(set) var elements: ElementsChange?
    private let list: OpenChanges
    /// Held for `state`, for an access in place may end on another thread than that whose list it is on.
    private let lock = Lock()
    // The lock makes accesses exclusive.
    @exclusivity(unchecked) private var state = State()

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
        get { withState { $0.isAccessed } }
        set { withState { $0.isAccessed = newValue } }
    }

    /// Puts a change on the list of this thread, until its did.
    @usableFromInline
    convenience init(of property: PropertyIdentity, of object: some KeyValueObservable, for audience: Audience) {
        self.init(of: property, of: object, for: audience, elements: nil, announcement: nil)
    }

    init(
        of property: PropertyIdentity, of object: some KeyValueObservable, for audience: Audience,
        elements: ElementsChange?, announcement: Announcement? = nil
    ) {
        self.property = property
        self.object = object
        self.table = object.keyValueRegistrar.table()
        self.audience = audience
        self.elements = elements
        self.announcement = announcement
        lastMember = Registration.newestID
        list = OpenChanges.makeOfThisThread()
        list.append(self)
    }

    /// Reads the old values of the paths through the property, and tells those who want to know before.
    ///
    /// - Parameter old: Points to the property's own old value, or the old elements, as an optional.
    @usableFromInline
    func will(old: UnsafeRawPointer) {
        unsafe readOldValues(own: old)
        guard audience.hasPriors else { return }
        unsafe Delivery.run(
            to: audience, object: object, open: self, elements: elements, isPrior: true, old: old, new: nil)
        // A prior handler may have led a path here that did not come this way before.
        guard let current = currentAudience, current !== audience else { return }
        audience = current.limited(to: lastMember)
        unsafe readOldValues(own: old)
    }

    /// Makes a setting of a change of elements: a prior handler changed others.
    ///
    /// - Parameter old: Points to the property's own whole old value as an optional.
    func becomeSetting(old: UnsafeRawPointer) {
        guard let elements else { return }
        self.elements = nil
        for index in withState({ $0.paths.indices }) {
            let change = withState { $0.paths[index] }
            guard change.elements != nil else { continue }
            let value = unsafe change.path.needsOld ? change.path.value(of: elements, old) : nil
            withState {
                $0.paths[index].elements = nil
                $0.paths[index].old = value
            }
            withExtendedLifetime(change) {}
        }
    }

    /// Reads the new values of the paths, follows them to where they lead now, and takes the change off the list.
    ///
    /// - Parameter new: Points to the property's own new value, or the new elements, as an optional.
    @usableFromInline
    func did(new: UnsafeRawPointer) {
        // Getters run here, and old changes are released after the lock is left.
        let (before, toldEarlier) = withState { ($0.paths, $0.toldEarlier) }
        let paths = before.map { change in
            unsafe change.did(self, new: new, toldEarlier: toldEarlier.last { $0.path === change.path }?.value)
        }
        withState { $0.paths = paths }
        withExtendedLifetime(before) {}
        let around = list.around(self)
        list.remove(self)
        guard !around.isEmpty else { return }
        let told = paths.compactMap { change in
            (change.elements == nil ? change.new : change.path.rewire(from: change.root)).map { (change.path, $0) }
        }
        for outer in around { outer.note(told: told) }
    }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        lock.withLock { unsafe body(&state) }
    }

    /// Who would be told if the change began now.
    private var currentAudience: Audience? {
        guard let announcement else { return table.audience(of: property) }
        return table.audience(of: property, byHand: announcement.keyPath)
    }

    /// What the change means to one of the paths through the property; nil if the path's root is gone.
    func change(of path: ObservedPath) -> PathChange? {
        withState { $0.paths.first { $0.path === path } }
    }

    /// Reads the old values of paths that have none yet, unless their observers were told them by another change.
    private func readOldValues(own old: UnsafeRawPointer) {
        for path in audience.paths where change(of: path) == nil && !Self.isAccessed(path) {
            let around = list.around(self)
            // What is announced by hand around this change is told then, once.
            guard !around.contains(where: { $0.announcement?.path === path }) else { continue }
            if let elements, let change = unsafe path.will(elements, old: old, in: self) {
                withState { $0.paths.append(change) }
                continue
            }
            var told = withState { $0.toldEarlier.last { $0.path === path }?.value }
            for outer in around where told == nil {
                told = outer.change(of: path).flatMap { $0.elements == nil ? $0.old : nil }
            }
            if let change = path.will(told: told) { withState { $0.paths.append(change) } }
        }
    }

    /// Notes what the observers of paths are about to be told by a change inside this one.
    private func note(told changes: [(path: ObservedPath, value: AnyValue)]) {
        let outdated = withState { state in
            changes.compactMap { path, value -> AnyValue? in
                guard let index = state.paths.firstIndex(where: { $0.path === path && $0.elements == nil }) else {
                    state.toldEarlier.append((path, value))
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
    func beginNested() { withState { $0.nested += 1 } }

    /// Notes that such a change ended; false if there was none.
    func endNested() -> Bool {
        withState { state in
            guard state.nested > 0 else { return false }
            state.nested -= 1
            return true
        }
    }

    /// Whether a property is changing on this thread.
    static func isOpen(_ property: PropertyIdentity, in table: ObservationTable) -> Bool {
        first { $0.table === table && $0.property == property } != nil
    }

    /// Whether anything is changing on this thread.
    static var isAnyOpen: Bool { OpenChanges.ofThisThread.map { !$0.isEmpty } ?? false }

    /// Whether a property on the way of a path is being accessed in place on this thread.
    private static func isAccessed(_ path: ObservedPath) -> Bool {
        first { $0.isAccessed && $0.audience.paths.contains { $0 === path } } != nil
    }

    static func first(where predicate: (OpenChange) -> Bool) -> OpenChange? {
        OpenChanges.ofThisThread?.around(nil).first(where: predicate)
    }
}
