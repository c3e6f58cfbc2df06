// Changes of a shared property: from the store to the delivery.

/// A shared property of an object that somebody observes, for as long as a change of it is made.
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
    /// The value is stored at once. Observers are called now, or by the thread that is calling them of a change before.
    @inlinable
    func set(_ value: Value, named keyPath: () -> AnyKeyPath) {
        // The value that is replaced is released at the end: it may be an object whose `deinit` reads the property.
        var stored = value
        if case .simple(let recipients) = Assignment.open(property, of: object, in: table, named: keyPath) {
            if storage.exchangeAlone(&stored, if: { recipients.areCurrent }) {
                Assignment.deliver(to: recipients, of: object, nil, old: stored, new: value)
                if !storage.letGo() { deliver(outermost: true) }
                return
            }
            recipients.giveBack()
        }
        setAndAdd(&stored)
    }

    /// Sets the property, where the change may have to wait.
    @usableFromInline
    func setAndAdd(_ value: inout Value) {
        let open = source?.openHere
        // What its own getters set belongs to what runs them, unless changes of others come between.
        guard let ownCount = storage.set(&value, nested: open != nil) else { return open?.join() ?? () }
        if open == nil { deliver(own: ownCount) }
    }

    /// Begins an access in place; `endAccess` must follow.
    ///
    /// The table is asked for under the lock: another thread may just make it.
    func beginAccess(in current: () -> UInt, at keyPath: () -> AnyKeyPath, named name: () -> String) {
        let opening = Assignment.open(property, of: object, in: table, named: keyPath)
        if case .simple(let borrowed) = opening { borrowed.giveBack() }
        storage.beginAccess({ source(in: current()) }, named: name)
    }

    /// Ends an access in place.
    func endAccess(changingWhole isWhole: Bool = true) {
        if let ownCount = storage.endAccess(changingWhole: isWhole) { return deliver(own: ownCount) }
        // Nothing changed, but changes of others may have found it accessed.
        if let source { Transaction.afterDelivery { source.deliverToHeldWatches() } }
    }

    private var source: Source? { source(in: table) }

    private func source(in table: UInt) -> Source? {
        Unretained<ObservationTable>(at: table).flatMap { $0.with { $0.unretainedSource(of: property) } }?.object
    }

    // MARK: Delivering

    /// Delivers the changes that wait, if this is up to this thread.
    ///
    /// Inside a handler only its own changes are delivered, if no others come before them: what other threads add is up to
    /// the outermost delivery, so that handlers are never nested deeper than their own changes.
    private func deliver(own count: Int) {
        let (isMine, isInner) = storage.beginDelivering()
        guard isMine else { return }
        guard isInner, Transaction.current == nil else { return deliver(outermost: !isInner) }
        for _ in 0..<count {
            if let change = storage.next(orLetGo: false) { change.ignoring { deliver(change) } }
        }
    }

    /// Delivers the changes that wait.
    @usableFromInline
    func deliver(outermost isOutermost: Bool) {
        let isInTransaction = Transaction.current != nil
        while let change = storage.next(orLetGo: isOutermost && !isInTransaction) {
            change.ignoring { deliver(change) }
        }
        if isOutermost, isInTransaction {
            // Changes of other threads come after what the transaction delivers at its end.
            Transaction.afterDelivery { [weak object, storage, property, table] in
                guard let object else { return }
                SharedProperty(storage: storage, property: property, object: object, table: table)
                    .deliver(outermost: true)
            }
        }
    }

    private func deliver(_ made: SharedChange<Value>) {
        // Changes of elements are announced also where a set is silent.
        guard let source,
            let change = Change.open(
                source, manually: made.elements != nil && !source.isAutomatic, upTo: made.newestNumber)
        else { return }
        Tracking.suspended {
            change.storedAt = made.storedAt
            // What a getter sets belongs to the change, which then is one of the whole value.
            let isJoined = change.evaluate(of: object, ofElements: made.elements != nil)
            let whole = isJoined ? storage.read { "A property" } : made.whole
            let elements = isJoined ? nil : made.elements
            let old = isJoined && made.elements != nil ? nil : made.old
            let new = elements == nil ? whole : made.new
            let later = storage.keep(upTo: made.newestNumber) {
                let kept = OpenChange()
                kept.keep(
                    elements,
                    BoxedValues(old: old.map { .holding($0) }, new: new.map { .holding($0) }, whole: .holding(whole)))
                return kept
            }
            change.hold(later)
            ChangeValues.with(old: old, new: new, whole: whole) { change.deliver(elements, $0, of: object) }
        }
    }
}
