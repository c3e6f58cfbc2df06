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

    /// Has those who watch all properties of the object register at this one.
    @inlinable
    func watch(_ keyPath: () -> AnyKeyPath) {
        if Assignment.isWatched(table) { Assignment.watch(property, of: object, in: table, keyPath()) }
    }

    /// Sets the property.
    ///
    /// The value is stored at once. Observers are called now, or by the thread that is calling them of a change before.
    @inlinable
    func set(_ value: Value) {
        // The value that is replaced is released at the end: it may be an object whose `deinit` reads the property.
        var stored = value
        switch Assignment.open(property, in: table) {
        case .simple(let recipients):
            if let part = storage.exchangeAlone(&stored, while: { recipients.areStillSimple }) {
                Assignment.deliver(to: recipients, of: object, nil, old: stored, new: value)
                if !storage.letGo(part) { deliver(part) }
                return
            }
            recipients.giveBack()
        case .careful(let record, let recipients):
            if let recipients { record.with { $0.giveBack(recipients) } }
        case .silent:
            break
        }
        setAndAdd(&stored)
    }

    /// Sets the property, where the change may have to wait.
    @usableFromInline
    func setAndAdd(_ value: inout Value) {
        deliver(storage.set(&value, nested: isNested))
    }

    /// Begins an access in place; `endAccess` must follow.
    ///
    /// - Returns: The recipients, if the change is delivered to them alone and the value before it is not kept.
    func beginAccess(named name: () -> String) -> Assignment.Borrowed? {
        if case .simple(let recipients) = openForAccess() {
            storage.beginAccess(keeping: { isFree in !isFree || !recipients.areStillSimple }, named: name)
            if !storage.hasValueBefore { return recipients }
            recipients.giveBack()
        } else {
            storage.beginAccess(nested: isNested, keeping: { _ in true }, named: name)
        }
        return nil
    }

    /// Begins the steps of a call of a view, which `endAccess` ends.
    ///
    /// - Parameters:
    ///   - isObserved: Whether somebody observes the object, asked under the lock of the storage.
    ///   - name: The property, for a message.
    func beginSteps(keepingIf isObserved: () -> Bool, named name: () -> String) {
        Assignment.prepare(property, in: table)
        storage.beginAccess(nested: isNested, keeping: { isFree in !isFree || isObserved() }, named: name)
        storage.enterFirstStep()
    }

    /// What an access is delivered to; only for those who do not need the old value it can do without a copy.
    private func openForAccess() -> Assignment.Opening {
        switch Assignment.open(property, in: table) {
        case .silent: return .silent
        case .simple(let recipients):
            if !recipients.recipients.with({ $0.needsOld }) { return .simple(recipients) }
            recipients.giveBack()
            return .silent
        case .careful(let record, let recipients):
            if let recipients { record.with { $0.giveBack(recipients) } }
            return .silent
        }
    }

    /// Ends an access in place.
    ///
    /// - Parameters:
    ///   - recipients: What `beginAccess` returned.
    ///   - isWhole: Whether it was a change of the whole value.
    func endAccess(_ recipients: Assignment.Borrowed?, changingWhole isWhole: Bool = true) {
        guard let recipients else {
            return deliver(storage.endAccess(changingWhole: isWhole))
        }
        let new = recipients.recipients.with { $0.needsNew } ? storage.value : nil
        let part = storage.endAccessAlone()
        Assignment.deliver(to: recipients, of: object, nil, old: nil, new: new)
        deliver(part)
    }

    private var record: Unretained<PropertyRecord>? {
        Unretained<ObservationTable>(at: table).flatMap { $0.with { $0.unretainedRecord(of: property) } }
    }

    /// Whether a change that is under way on this thread speaks for those made now: its getters are being run.
    private var isNested: Bool {
        guard let pending = record?.with({ $0.pendingOnThisThread() }) else { return false }
        pending.becomeDirty()
        return true
    }

    // MARK: Delivering

    /// Delivers the changes that wait, if this is up to this thread.
    @usableFromInline
    func deliver(_ part: SharedStorage<Value>.Part) {
        switch part {
        case .none: return
        case .inner: while storage.hasWaiting { deliverNext() }
        case .outer:
            while storage.hasWaiting { deliverNext() }
            if let transaction = Transaction.current?.object {
                // Others' changes have to come after what the transaction delivers at its end.
                return transaction.hold(object) { [storage, property, table] object in
                    SharedProperty(storage: storage, property: property, object: object, table: table).deliver(.outer)
                }
            }
            if !storage.letGo(part) { deliver(part) }
        }
    }

    /// Delivers the first change that waits.
    private func deliverNext() {
        while true {
            let version = version
            switch Assignment.open(property, in: table) {
            case .silent:
                if case .outdated = storage.next(while: { self.version == version }) { continue }
                return
            case .simple(let recipients):
                switch storage.next(while: { recipients.areStillSimple }) {
                case .outdated:
                    recipients.giveBack()
                    continue
                case .nothing:
                    return recipients.giveBack()
                case .change(let change):
                    return change.ignoring {
                        Assignment.deliver(
                            to: recipients, of: object, change.elements, old: change.old, new: change.new)
                    }
                }
            case .careful(let record, let recipients):
                if record.with({ deliverCarefully($0, recipients, foundAt: version) }) { return }
            }
        }
    }

    /// Takes the first change that waits for a change that has begun, with all who have come since that.
    private func takeNext(
        in change: inout CarefulChange, _ record: PropertyRecord, _ version: UInt32?
    ) -> SharedStorage<Value>.Next {
        var (known, hasNewcomers) = (version, false)
        while true {
            let next = storage.next {
                guard record.version == known else { return false }
                // Who registers from here on reads the new value.
                if hasNewcomers { change.includeNewcomers() }
                return true
            }
            guard case .outdated = next else { return next }
            (known, hasNewcomers) = (record.version, true)
            change.prepareForNewcomers()
        }
    }

    /// How often somebody came or went at the property; nil as long as nobody has come.
    private var version: UInt32? { record?.with { $0.version } }

    /// Delivers the first change where code of others runs before that.
    ///
    /// - Parameters:
    ///   - record: The property.
    ///   - borrowed: Its recipients, if they were borrowed.
    ///   - version: How often somebody had come or gone before they were.
    /// - Returns: Whether it was done.
    private func deliverCarefully(
        _ record: PropertyRecord, _ borrowed: Unretained<Recipients>?, foundAt version: UInt32?
    ) -> Bool {
        guard storage.hasWaiting else {
            if let borrowed { record.giveBack(borrowed) }
            return true
        }
        guard var change = CarefulChange.begin(record, borrowed, of: object, ifStillAt: version) else {
            if case .outdated = storage.next(while: { record.version == version }) { return false }
            return true
        }
        Tracking.suspended {
            // The first change is still to be made, as far as observers know. Nobody else takes it.
            let elements = storage.nextElements
            let before = change.needsOld ? storage.delivered : nil
            let isStored: (PathCore, BoxedValue) -> Bool = { core, value in core.isStored(value, storage.delivered) }
            ChangeValues.with(old: before) { change.prepare(elements, $0, isStored) }
            let next = takeNext(in: &change, record, version)
            _ = EngineTrace.inside(next.event ?? EngineTrace.cause) { change.finish(isStored) }
            guard case .change(let made) = next else { return change.deliver(nil, .none) }
            // What a getter has set belongs to the change, which then is one of the whole value.
            let nested = storage.takeNestedValue()
            made.ignoring {
                ChangeValues.with(old: nested == nil ? made.old : made.before, new: nested ?? made.new) {
                    change.deliver(nested == nil ? elements : nil, $0)
                }
            }
        }
        return true
    }
}
