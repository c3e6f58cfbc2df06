// Who observes one property of an object.
import Synchronization

/// Who observes one property of an object: registrations on the property itself, and paths that lead through it.
///
/// A record is made when the property is first observed or led through, and stays as long as the object's table, which
/// is the first record itself: few objects need another one. Records form a list, in which a change finds the one of its
/// property without a lock. Everything but the property, the next record and the loan is guarded by the lock of the table.
@usableFromInline
@safe class PropertyRecord: RegistrationKeeper, @unchecked Sendable {
    /// The property's identity, or `none`.
    private final let identity: Atomic<UInt>
    /// The address of the next record, retained, or 0.
    private final let nextRecord = Atomic<UInt>(0)
    /// Everybody, once a change has asked, until somebody comes or goes.
    final let loan = AudienceLoan()
    // The lock makes accesses exclusive.
    /// Names the property; nil as long as it was only read through views.
    @exclusivity(unchecked) private final var keyPath: Unmanaged<AnyKeyPath>?
    @exclusivity(unchecked) private(set) final var direct = RegistrationList()
    /// What the registration made last has in common with the next ones, perhaps.
    @exclusivity(unchecked) private final var lastOrigin: Unmanaged<RegistrationOrigin>?
    /// The paths that lead through the property.
    @exclusivity(unchecked) private final var paths = PathList()
    /// How often somebody came or went.
    @exclusivity(unchecked) private final var version: UInt32 = 0
    /// Whether the key path alone is known to say what the property's value depends on: it has no declared
    /// dependencies, and no override that reads more.
    @exclusivity(unchecked) private final var isPlain = false
    @exclusivity(unchecked) private final var isAutomatic = true
    /// Whether the class declares what affects the property beside what its getter reads.
    @exclusivity(unchecked) private final var hasDependencies = false

    /// What is no property: storage does not lie there.
    private static let none = UInt.max

    /// A record of no property yet.
    override init() { identity = Atomic(Self.none) }

    deinit {
        unsafe keyPath?.release()
        unsafe lastOrigin?.release()
        unsafe next?.release()
    }

    /// The property; none is equal to it as long as there is none.
    final var property: PropertyIdentity { PropertyIdentity(rawValue: identity.load(ordering: .acquiring)) }

    /// The next record, as long as this one is held.
    final var next: Unmanaged<PropertyRecord>? {
        unsafe UnsafeRawPointer(bitPattern: nextRecord.load(ordering: .acquiring)).map {
            unsafe Unmanaged.fromOpaque($0)
        }
    }

    override final func remove(_ id: RegistrationID, from table: ObservationTable) {
        table.endRegistration(id, in: self)
    }

    // MARK: Under the lock

    /// The record of another property, put behind this one; or this one, if it has no property yet.
    final func begin(_ property: PropertyIdentity, _ facts: PropertyFacts, keyPath: AnyKeyPath?) -> PropertyRecord {
        guard identity.load(ordering: .relaxed) != Self.none else {
            note(facts, keyPath: keyPath)
            // Whoever finds it finds it complete.
            identity.store(property.rawValue, ordering: .releasing)
            return self
        }
        let new = PropertyRecord()
        new.nextRecord.store(nextRecord.load(ordering: .relaxed), ordering: .relaxed)
        _ = new.begin(property, facts, keyPath: keyPath)
        nextRecord.store(unsafe UInt(bitPattern: Unmanaged.passRetained(new).toOpaque()), ordering: .releasing)
        return new
    }

    final var isObserved: Bool { unsafe !direct.isEmpty || !paths.isEmpty }

    /// The bits of those that somebody observes among this property and those of the records behind it.
    final var bitsOfObserved: UInt64 {
        var bits = bitIfObserved
        var rest = unsafe next
        while let record = unsafe rest {
            unsafe rest = record._withUnsafeGuaranteedRef { record in
                bits |= record.bitIfObserved
                return unsafe record.next
            }
        }
        return bits
    }

    private final var bitIfObserved: UInt64 { isObserved ? property.bit : 0 }

    /// Whether it is known what names the property.
    final var isNamed: Bool { unsafe keyPath != nil }

    /// Whether a key path names the property, from here on most likely by that very object.
    final func isNamed(by keyPath: AnyKeyPath) -> Bool {
        guard let known = unsafe self.keyPath else { return false }
        let given = unsafe Unmanaged.passUnretained(keyPath)
        if unsafe known.toOpaque() == given.toOpaque() { return true }
        guard unsafe known._withUnsafeGuaranteedRef({ KeyPathComponents.areSame($0, keyPath) }) else { return false }
        unsafe self.keyPath = given.retain()
        unsafe known.release()
        return true
    }

    /// Whether a key path names the property, and nothing else is to be known of it.
    final func isPlain(at keyPath: AnyKeyPath) -> Bool { unsafe isPlain && isNamed(by: keyPath) }

    /// Names the property, if that was not known.
    final func note(_ facts: PropertyFacts, keyPath: AnyKeyPath?) {
        guard unsafe self.keyPath == nil else { return }
        unsafe self.keyPath = keyPath.map { unsafe .passRetained($0) }
        unsafe hasDependencies = !facts.declaredDependencies.isEmpty
        unsafe isAutomatic = facts.isAutomatic
    }

    /// What the class says about the property; nil where it has to be asked: the property was only read through views, or
    /// has declared dependencies.
    final var facts: PropertyFacts? {
        guard unsafe keyPath != nil, unsafe !hasDependencies else { return nil }
        return unsafe PropertyFacts(isAutomatic: isAutomatic)
    }

    /// Notes that the property depends on nothing but itself.
    final func becomePlain() { unsafe isPlain = true }

    // Who calls these has forgotten the audience before.

    final func add(_ registration: Registration, _ terms: borrowing RegistrationTerms, at keyPath: AnyKeyPath) {
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
    final func remove(_ id: RegistrationID) -> Registration? {
        let removed = unsafe direct.remove(id)
        removed?.deactivate()
        return removed
    }

    final func hook(_ path: ObservedPath) {
        unsafe paths.append(path)
    }

    final func unhook(_ path: ObservedPath) {
        unsafe paths.remove(path)
    }

    /// Forgets the audience, for somebody comes or goes.
    ///
    /// - Returns: The audience if it is to be released, without the lock: it may be the last to hold registrations at
    ///   paths.
    final func forgetAudience() -> Unmanaged<Audience>? {
        unsafe version &+= 1
        guard let audience = unsafe loan.recall() else { return nil }
        if unsafe !audience._withUnsafeGuaranteedRef({ $0.paths.isEmpty }) { return unsafe audience }
        // All that it holds is on the list here, which is about to change and better not shared then.
        unsafe audience.release()
        return nil
    }

    /// What an audience is gathered from; nil if nobody is told of changes.
    ///
    /// - Parameter byHand: Whether a change is announced by hand, of which those are told, too, who observe a property that
    ///   does not notify automatically.
    /// - Returns: The registrations on the property, the paths through it, and what to remember the audience for.
    final func membership(byHand: Bool) -> (direct: RegistrationList, paths: [ObservedPath], version: UInt32)? {
        guard isObserved, unsafe byHand || isAutomatic else { return nil }
        return unsafe (direct, paths.unique, version)
    }

    /// Keeps an audience, unless somebody came or went while it was gathered.
    final func keep(_ audience: Audience, version: UInt32) {
        if unsafe self.version == version { loan.keep(audience) }
    }

    /// Empties the record; the result is to be ended and released without the lock.
    final func endRecord() -> RegistrationList {
        unsafe paths = PathList()
        defer { unsafe direct = RegistrationList() }
        return unsafe direct
    }
}
