// A change between its will and its did.

/// A change between its will and its did, while code of others may run: getters, priors, an access in place.
///
/// The open changes of a thread form a list, which serves three rules. A change of a property that is already changing
/// on this thread belongs to that change. What the observers of a path were told last is what every change calls old.
/// And while a property is accessed in place nobody may read it, so a path through it is told of changes inside by the
/// outer change, when the access has ended.
@usableFromInline
final class OpenChange {
    // A thread keeps a change for its next one, which is why what follows varies. It is set while nobody else knows the
    // change, and is the same until that is over.
    @safe @exclusivity(unchecked) private(set) var property = PropertyIdentity(rawValue: 0)
    @exclusivity(unchecked) private var object: AnyObject?
    @safe @exclusivity(unchecked) private(set) var table: ObservationTable?
    /// Who is to be told: registrations that were made before this change began.
    @safe @exclusivity(unchecked) @usableFromInline private(set) var audience = Audience.nobody
    @exclusivity(unchecked) private var lastMember: RegistrationID = 0
    /// How the change was announced, if that was by hand.
    @safe @exclusivity(unchecked) private(set) var announcement: Announcement?
    /// How some elements change, unless the whole value is set.
    @safe @exclusivity(unchecked) private(set) var elements: ElementsChange?
    /// The list of the thread on which it began.
    @exclusivity(unchecked) private var list: OpenChanges?
    /// Held for `state`, for an access in place may end on another thread than that whose list it is on.
    private let lock = Lock()
    // The lock makes accesses exclusive.
    @exclusivity(unchecked) private var state = State()

    private struct State {
        /// What the change means to the paths through the property, whose old values are what was told last.
        var paths = PathChanges()
        /// What changes inside this one told observers of paths that it did not concern when it began.
        var toldEarlier: [(path: ObservedPath, value: AnyValue)] = []
        var isAccessed = false
        /// How many changes of the same property were announced by hand inside this one and have not ended.
        var nested = 0

        func lastTold(_ path: ObservedPath) -> AnyValue? {
            toldEarlier.isEmpty ? nil : toldEarlier.last { $0.path === path }?.value
        }
    }

    /// Whether the property is being accessed in place.
    @usableFromInline var isAccessed: Bool {
        get { withState { $0.isAccessed } }
        set { withState { $0.isAccessed = newValue } }
    }

    /// Puts a change on the list of this thread, until its did.
    @usableFromInline
    static func begin(
        _ property: PropertyIdentity, of object: some KeyValueObservable, for audience: Audience
    ) -> OpenChange {
        begin(property, of: object, in: object.keyValueRegistrar.table(), for: audience, elements: nil)
    }

    static func begin(
        _ property: PropertyIdentity, of object: AnyObject, in table: ObservationTable, for audience: Audience,
        elements: ElementsChange?, announcement: Announcement? = nil
    ) -> OpenChange {
        let list = OpenChanges.makeOfThisThread()
        let change = list.takeKept() ?? OpenChange()
        change.property = property
        unsafe change.object = object
        change.table = table
        change.audience = audience
        unsafe change.lastMember = Registration.newestID
        change.elements = elements
        change.announcement = announcement
        unsafe change.list = list
        list.append(change)
        return change
    }

    /// Notes the old value of a path that is read elsewhere for this change.
    func begin(_ path: ObservedPath, from root: Unmanaged<AnyObject>, old: AnyValue?) {
        let change = unsafe PathChange(path: path, root: root.takeUnretainedValue(), old: old)
        withState { $0.paths.append(change) }
    }

    /// Notes its new value, and takes the change off the list.
    func end(_ path: ObservedPath, new: AnyValue?) {
        withState { $0.paths.change(of: path)?.new = new }
        leaveList()
    }

    /// Ends a change that everybody was told of, so that its thread can keep it for the next one.
    func end() {
        // Released without the lock, for that may run code of others.
        let ended = withState { state in
            let ended = state
            state = State()
            return ended
        }
        // Where other changes are open, one that has gone to another thread may be looking at this one, and this one may
        // be looked at on the thread that it has left. Then it stays as it is.
        guard let list = unsafe list, list === OpenChanges.ofThisThread, list.isEmpty else { return }
        unsafe object = nil
        table = nil
        audience = .nobody
        announcement = nil
        elements = nil
        unsafe self.list = nil
        ended.paths.first?.empty(into: list)
        list.keep(self)
    }

    /// Reads the old values of the paths through the property, and tells those who want to know before.
    ///
    /// - Parameter old: Points to the property's own old value, or the old elements, as an optional.
    @usableFromInline
    func will(old: UnsafeRawPointer) {
        unsafe readOldValues(own: old)
        guard audience.hasPriors else { return }
        unsafe Delivery.run(
            to: audience, object: object.unsafelyUnwrapped, open: self, elements: elements, isPrior: true, old: old,
            new: nil)
        // A prior handler may have led a path here that did not come this way before.
        guard let current = currentAudience, current !== audience else { return }
        unsafe audience = current.limited(to: lastMember)
        unsafe readOldValues(own: old)
    }

    /// Makes a setting of a change of elements: a prior handler changed others.
    ///
    /// - Parameter old: Points to the property's own whole old value as an optional.
    func becomeSetting(old: UnsafeRawPointer) {
        guard let elements else { return }
        self.elements = nil
        for index in 0..<withState({ $0.paths.count }) {
            let change = withState { $0.paths[index] }
            guard change.elements != nil else { continue }
            let value = unsafe change.path.needsOld ? change.path.value(of: elements, old) : nil
            let before = withState { _ in
                defer { (change.elements, change.old) = (nil, value) }
                return (change.elements, change.old)
            }
            // Released without the lock.
            withExtendedLifetime(before) {}
        }
    }

    /// Reads the new values of the paths, follows them to where they lead now, and takes the change off the list.
    ///
    /// - Parameter new: Points to the property's own new value, or the new elements, as an optional.
    @usableFromInline
    func did(new: UnsafeRawPointer) {
        let count = withState { $0.paths.count }
        for index in 0..<count {
            // Getters run here, and old changes are released after the lock is left.
            let change = withState { $0.paths[index] }
            if let elements = change.elements {
                let toldEarlier = withState { $0.lastTold(change.path) }
                let made = unsafe change.did(self, elements, new: new, toldEarlier: toldEarlier)
                withState { $0.paths[index] = made }
            } else {
                let value = change.path.rewire(from: change.root)
                withState { _ in change.new = value }
            }
        }
        leaveList()
    }

    /// Takes the change off the list, and lets those around it know what it tells.
    private func leaveList() {
        guard let list = unsafe list else { return }
        let around = list.around(self)
        list.remove(self)
        guard !around.isEmpty else { return }
        let told = withState({ 0..<$0.paths.count }).compactMap { index in
            let change = withState { $0.paths[index] }
            return (change.elements == nil ? change.new : change.path.rewire(from: change.root)).map {
                (change.path, $0)
            }
        }
        for outer in around { outer.note(told: told) }
    }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        lock.withLock { unsafe body(&state) }
    }

    /// Who would be told if the change began now.
    private var currentAudience: Audience? {
        guard let announcement = announcement else { return table?.audience(of: property) }
        return table?.audience(of: property, byHand: announcement.keyPath)
    }

    /// What the observers of one of the paths through the property are told; nil if the path's root is gone.
    func told(_ path: ObservedPath) -> (change: PathChange, old: AnyValue?, new: AnyValue?)? {
        withState { state in state.paths.change(of: path).map { ($0, $0.old, $0.new) } }
    }

    /// What the change means to one of the paths through the property; nil if the path's root is gone.
    func change(of path: ObservedPath) -> PathChange? {
        withState { $0.paths.change(of: path) }
    }

    /// Reads the old values of paths that have none yet, unless their observers were told them by another change.
    private func readOldValues(own old: UnsafeRawPointer) {
        let around = unsafe list?.around(self) ?? []
        for path in audience.paths {
            let (isKnown, toldHere) = withState { ($0.paths.change(of: path) != nil, $0.lastTold(path)) }
            // What is announced by hand around this change is told then, once; and while a property on the way is
            // accessed in place the path cannot be read.
            guard !isKnown, !around.contains(where: { $0.announcement?.path === path || $0.accesses(path) }) else {
                continue
            }
            if let elements, let change = unsafe path.will(elements, old: old, in: self) {
                withState { $0.paths.append(change) }
                continue
            }
            var told = toldHere
            for outer in around where told == nil {
                told = outer.told(path).flatMap { $0.change.elements == nil ? $0.old : nil }
            }
            if let change = path.will(told: told) { withState { $0.paths.append(change) } }
        }
    }

    /// Whether the property is on the way of a path, and is being accessed in place.
    private func accesses(_ path: ObservedPath) -> Bool {
        isAccessed && audience.paths.contains { $0 === path }
    }

    /// Notes what the observers of paths are about to be told by a change inside this one.
    private func note(told changes: [(path: ObservedPath, value: AnyValue)]) {
        let outdated = withState { state in
            changes.compactMap { path, value -> AnyValue? in
                guard let change = state.paths.change(of: path), change.elements == nil else {
                    state.toldEarlier.append((path, value))
                    return nil
                }
                guard let old = change.old else { return nil }
                change.old = value
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
    static var isAnyOpen: Bool {
        UnlistedChange.list()
        guard let list = unsafe OpenChanges.unretainedOfThisThread else { return false }
        return unsafe list._withUnsafeGuaranteedRef { !$0.isEmpty }
    }

    static func first(where predicate: (OpenChange) -> Bool) -> OpenChange? {
        UnlistedChange.list()
        return OpenChanges.ofThisThread?.around(nil).first(where: predicate)
    }
}
