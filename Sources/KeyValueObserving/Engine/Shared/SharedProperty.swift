// Changes of a shared property: from the store to the delivery.

/// A shared property of an object that has observers, for the duration of a change.
@frozen @usableFromInline
struct SharedProperty<Value> {
    @usableFromInline let storage: SharedStorage<Value>
    @usableFromInline let property: PropertyIdentity
    /// The object, which the accessor holds.
    @usableFromInline let object: AnyObject
    /// The address of its table.
    @usableFromInline let table: UInt

    @inlinable
    init(storage: SharedStorage<Value>, property: PropertyIdentity, object: AnyObject, table: UInt) {
        self.storage = storage
        self.property = property
        self.object = object
        self.table = table
    }

    // MARK: Storing

    /// Sets the property.
    ///
    /// The value is stored at once. This thread, or one that is still delivering earlier changes, calls the observers.
    @inlinable
    func set(_ value: Value) {
        // The old value is released at the end, because it may be an object whose `deinit` reads the property.
        var stored = value
        if case .simple(let recipients) = property.openChange(in: table) {
            if storage.exchangeAlone(&stored, if: { recipients.areCurrent }) {
                Mutator.deliver(to: recipients, of: object, old: stored, new: value)
                if !storage.letGo() { deliver(outermost: true) }
                return
            }
            recipients.giveBack()
        }
        setAndAdd(&stored)
    }

    /// Sets the property, if the change may have to wait.
    @usableFromInline
    func setAndAdd(_ value: inout Value) {
        let open = source?.openHere
        // A change by a getter belongs to the change that runs it, unless other threads' changes come between.
        guard let ownCount = storage.set(&value, nested: open != nil) else { return open?.noteNested() ?? () }
        if open == nil { deliver(own: ownCount) }
    }

    /// Begins an access in place; `endAccess` must follow.
    ///
    /// The table is read under the lock, because another thread may be creating it.
    func beginAccess(in current: () -> UInt, named name: () -> String) {
        let opening = property.openChange(in: table)
        if case .simple(let borrowed) = opening { borrowed.giveBack() }
        storage.beginAccess({ source(in: current()) }, named: name)
    }

    /// Ends an access in place.
    func endAccess(changingWhole isWhole: Bool = true) {
        if let ownCount = storage.endAccess(changingWhole: isWhole) { return deliver(own: ownCount) }
        // Nothing changed, but other changes may have found the property being accessed.
        if let source { Transaction.afterDelivery { source.deliverToPostponedWatches() } }
    }

    private var source: Source? { source(in: table) }

    private func source(in table: UInt) -> Source? {
        Unretained<ObservationTable>(at: table).flatMap { $0.with { $0.unretainedSource(of: property) } }?.object
    }

    // MARK: Delivering

    /// Delivers the waiting changes, if this thread is the one to do it.
    ///
    /// Inside a handler, only its own changes are delivered, if no others come before them. The outermost delivery
    /// handles the changes of other threads, so handlers are never nested deeper than their own changes.
    private func deliver(own count: Int) {
        let (isMine, isInner) = storage.beginDelivering()
        guard isMine else { return }
        guard isInner, Transaction.current == nil else { return deliver(outermost: !isInner) }
        for _ in 0..<count {
            if let change = storage.next(orLetGo: false)?.change { change.circumstances.restored { deliver(change) } }
        }
    }

    /// Delivers the change that this thread has added, if no other comes first.
    func deliverAdded() { deliver(own: 1) }

    /// Delivers the waiting changes.
    @usableFromInline
    func deliver(outermost isOutermost: Bool) {
        let isInTransaction = Transaction.current != nil
        var count = 0
        // The time until which other threads' changes may follow the first one; nil before that, and after the note.
        var deadline: ContinuousClock.Instant?
        while let (change, waitingCount) = storage.next(orLetGo: isOutermost && !isInTransaction) {
            if count == 1, isOutermost { deadline = .now + .seconds(1) }
            change.circumstances.restored { deliver(change) }
            count += 1
            if let late = deadline, .now > late || waitingCount > 10_000 {
                source?.noteSlowHandlers(of: object)
                deadline = nil
            }
        }
        if isOutermost, isInTransaction {
            // Changes of other threads come after the deliveries at the end of the transaction.
            Transaction.afterDelivery { [weak object, storage, property, table] in
                guard let object else { return }
                SharedProperty(storage: storage, property: property, object: object, table: table)
                    .deliver(outermost: true)
            }
        }
    }

    private func deliver(_ made: SharedChange<Value>) {
        if let registration = made.registration {
            return Call.makeFirst(of: registration, on: object, .holding(made.whole))
        }
        // Changes of elements are announced even if a set is silent.
        guard let source,
            let change = Mutation.open(
                source, manually: made.edit != nil && !source.isAutomatic, upTo: made.newestNumber)
        else { return }
        Tracking.suspended {
            change.storedAt = made.storedAt
            // A set by a getter belongs to the change, which is then one of the whole value.
            let hasNested = change.evaluate(of: object, ofElements: made.edit != nil)
            let whole = hasNested ? storage.read { "A property" } : made.whole
            let edit = hasNested ? nil : made.edit
            let old = hasNested && made.edit != nil ? nil : made.old
            let new = edit == nil ? whole : made.new
            ChangeValues.with(old: old, new: new, whole: whole) { change.deliver(edit, $0, of: object) }
        }
    }
}

/// A change of a property that several threads change, from the store to the delivery; or the first call of a
/// registration.
@usableFromInline
struct SharedChange<Value> {
    /// The value before the change, or the removed elements.
    let old: Value?
    /// The value after the change, or the inserted elements.
    let new: Value?
    /// The whole value after the change.
    let whole: Value
    /// The change of some elements; nil if the whole value is set.
    let edit: Edit?
    /// The registration, if this is its first call.
    let registration: Registration?
    /// Registrations with a later number have read the value after the change.
    let newestNumber = Registration.newestNumber
    /// The time of the store on the clock of evaluations.
    let storedAt = Watch.now
    /// In a transaction, the registrations ignored are those at its end.
    let circumstances = Circumstances(
        ignoring: Transaction.current?.with { $0.ignored } ?? IgnoredRegistrations.current)

    init(_ edit: Edit? = nil, from old: Value?, to new: Value?, whole: Value, for registration: Registration? = nil) {
        self.edit = edit
        self.registration = registration
        self.old = old
        self.new = new
        self.whole = whole
    }
}

extension Source {
    /// Notes once that the handlers of the property are slower than the threads that set it.
    @inline(never)
    fileprivate func noteSlowHandlers(of object: AnyObject) {
        let recipients = recipients(manually: true)
        let sites = (0..<recipients.members.count).map { recipients.members[$0].with { $0.site } }
        extendLifetime(recipients)
        // The note recommends a sequence, so the place of a sequence is no help.
        let place = sites.first { !$0.isOfSequences }?.place
        if place == nil, !sites.isEmpty { return }
        KeyValueDiagnostics.noteSlowHandlers(
            of: PropertyNames.text(of: description.keyPath), object, registeredAt: place)
    }
}

extension KeyValueDiagnostics {
    /// Notes once that the handlers of a property are slower than the threads that set it.
    static func noteSlowHandlers(of name: String, _ object: AnyObject, registeredAt place: String?) {
        noteOnce(
            """
            \(name) of \(TypeName.of(object)) is set faster than its handlers run, of which the first was registered at \
            \(place ?? "a line that is not known"). A thread that sets it calls them for the other threads, too, and does \
            not return until no change waits. Have them called elsewhere, with a bound: \
            changes(of: \\.\(name)).buffer(policy: .bufferingNewest(100)).deliver(on: queue).
            """)
    }
}
