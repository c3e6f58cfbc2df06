// Who observes one property of an object.

/// Who observes one property of an object: registrations on the property itself, and paths that lead through it.
///
/// A record is made when the property is first observed or led through, and stays as long as the object's table. The
/// records of a table form a list that grows at its head only, so that a change finds the one of its property without
/// a lock. Everything but the identity and the loan is guarded by the lock of the table.
@safe final class PropertyRecord: RegistrationKeeper, @unchecked Sendable {
    let property: PropertyIdentity
    /// The record that was made before this one.
    let next: PropertyRecord?
    /// Everybody, once a change has asked, until somebody comes or goes.
    let loan = AudienceLoan()
    // The lock makes accesses exclusive.
    @exclusivity(unchecked) private var declaredDependencies: [AnyKeyPath]
    /// Names the property; nil as long as it was only read through views.
    @exclusivity(unchecked) private var keyPath: Unmanaged<AnyKeyPath>?
    @exclusivity(unchecked) private(set) var direct = RegistrationList()
    /// What the registration made last has in common with the next ones, perhaps.
    @exclusivity(unchecked) private var lastOrigin: Unmanaged<RegistrationOrigin>?
    /// Where paths lead through the property.
    @exclusivity(unchecked) private(set) var hooks: [PathHook] = []
    /// How often somebody came or went.
    @exclusivity(unchecked) private var version: UInt32 = 0
    /// Whether the key path alone is known to say what the property's value depends on: it has no declared
    /// dependencies, and no override that reads more.
    @exclusivity(unchecked) private var isPlain = false
    @exclusivity(unchecked) private var isAutomatic: Bool

    init(of property: PropertyIdentity, _ facts: PropertyFacts, keyPath: AnyKeyPath?, before next: PropertyRecord?) {
        self.property = property
        unsafe declaredDependencies = facts.declaredDependencies
        unsafe isAutomatic = facts.isAutomatic
        unsafe self.keyPath = keyPath.map { unsafe .passRetained($0) }
        self.next = next
    }

    deinit {
        unsafe keyPath?.release()
        unsafe lastOrigin?.release()
    }

    override func remove(_ id: RegistrationID, from table: ObservationTable) { table.remove(id, from: self) }

    // MARK: Under the lock

    var isObserved: Bool { unsafe !direct.isEmpty || !hooks.isEmpty }

    /// Whether a key path names the property, from here on most likely by that very object.
    func isNamed(by keyPath: AnyKeyPath) -> Bool {
        guard let known = unsafe self.keyPath else { return false }
        let given = unsafe Unmanaged.passUnretained(keyPath)
        if unsafe known.toOpaque() == given.toOpaque() { return true }
        guard unsafe known._withUnsafeGuaranteedRef({ KeyPathComponents.areSame($0, keyPath) }) else { return false }
        unsafe self.keyPath = given.retain()
        unsafe known.release()
        return true
    }

    /// Whether a key path names the property, and nothing else is to be known of it.
    func isPlain(at keyPath: AnyKeyPath) -> Bool { unsafe isPlain && isNamed(by: keyPath) }

    /// Names the property, if that was not known.
    func note(_ facts: PropertyFacts, keyPath: AnyKeyPath?) {
        guard unsafe self.keyPath == nil else { return }
        unsafe self.keyPath = keyPath.map { unsafe .passRetained($0) }
        unsafe declaredDependencies = facts.declaredDependencies
        unsafe isAutomatic = facts.isAutomatic
    }

    /// What the class says about the property; nil as long as that was only read through views.
    var facts: PropertyFacts? {
        guard unsafe keyPath != nil else { return nil }
        return unsafe PropertyFacts(isAutomatic: isAutomatic, declaredDependencies: declaredDependencies)
    }

    /// Notes that the property depends on nothing but itself.
    func becomePlain() { unsafe isPlain = true }

    func add(_ registration: Registration, _ terms: borrowing RegistrationTerms, at keyPath: AnyKeyPath) {
        // The audience goes first: it shares the list.
        forgetAudience()
        if let last = unsafe lastOrigin, unsafe last._withUnsafeGuaranteedRef({ $0.serves(terms, at: keyPath) }) {
            unsafe registration.begin(from: last.takeUnretainedValue())
        } else {
            let origin = terms.origin(at: keyPath)
            unsafe lastOrigin?.release()
            unsafe lastOrigin = .passRetained(origin)
            registration.begin(from: origin)
        }
        unsafe direct.insert(registration)
    }

    /// Ends a registration; the result is to be released without the lock.
    func remove(_ id: RegistrationID) -> Registration? {
        forgetAudience()
        let removed = unsafe direct.remove(id)
        removed?.deactivate()
        return removed
    }

    func add(_ hook: PathHook) {
        unsafe hooks.append(hook)
        forgetAudience()
    }

    func remove(_ hook: PathHook) {
        unsafe hooks.removeAll { $0 === hook }
        forgetAudience()
    }

    func forgetAudience() {
        loan.recall()
        unsafe version &+= 1
    }

    /// What an audience is gathered from; nil if nobody is told of changes.
    ///
    /// - Parameter byHand: Whether a change is announced by hand, of which those are told, too, who observe a property that
    ///   does not notify automatically.
    /// - Returns: The registrations on the property, the paths through it, and what to remember the audience for.
    func membership(byHand: Bool) -> (direct: RegistrationList, paths: [ObservedPath], version: UInt32)? {
        guard isObserved, unsafe byHand || isAutomatic else { return nil }
        return unsafe (direct, hooks.uniquePaths, version)
    }

    /// Keeps an audience, unless somebody came or went while it was gathered.
    func keep(_ audience: Audience, version: UInt32) {
        if unsafe self.version == version { loan.keep(audience) }
    }

    /// Empties the record; the result is to be ended and released without the lock.
    func end() -> (direct: RegistrationList, hooks: [PathHook]) {
        forgetAudience()
        let result = unsafe (direct, hooks)
        unsafe direct = RegistrationList()
        unsafe hooks = []
        return result
    }
}

extension [PathHook] {
    /// The hooks' paths, each once: two evaluations on two threads may both have hooked theirs.
    fileprivate var uniquePaths: [ObservedPath] {
        reduce(into: []) { paths, hook in
            if !paths.contains(where: { $0 === hook.path }) { paths.append(hook.path) }
        }
    }
}
