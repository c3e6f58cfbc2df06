// A change of one property, from before its store until its delivery.

/// The bracket around a store: a set, a change of elements, an access in place, or the code between `willChangeValue`
/// and `didChangeValue`.
///
/// `open` records the newest registration, and finds the recipients; `deliverPrior` calls those that requested
/// `.prior`; the store follows; `evaluate` reads each watch that depends on the source; `deliver` calls all recipients
/// in the order of registration, or lets the open transaction keep the mutation. The source refers to the mutation
/// until the evaluation, because changes of the same source on the same thread belong to it. Only its thread uses it.
@usableFromInline
final class Mutation: @unchecked Sendable {
    /// The mutation's place in its source.
    enum Stage {
        /// None: it is over, or it is beside another open one, and no change is nested in it.
        case alone
        /// It is the source's open mutation.
        case open
        /// Announced, so that its end may never come: the number of open pairs inside it, whether a watch is at its
        /// own key path, and whether it is the source's open mutation, because another thread may have one.
        case announced(inner: Int, isEvaluated: Bool, isOpen: Bool)
    }

    // No access lasts while code of users runs.
    /// The source, which the caller that changes the property keeps alive.
    let unretainedSource: Unretained<Source>
    @safe @exclusivity(unchecked) private(set) var stage = Stage.alone
    /// Registrations with a later number take no part.
    @safe @exclusivity(unchecked) private(set) var newest: RegistrationNumber = 0
    @safe @exclusivity(unchecked) private(set) var unretainedRecipients = Unretained(Recipients.none)
    /// Holds the recipients, unless they are borrowed.
    @safe @exclusivity(unchecked) private var ownRecipients: Recipients?
    @safe @exclusivity(unchecked) private(set) var areLent = false
    /// Whether observers of the property itself are not called, as in an access in place to a manual property.
    @safe @exclusivity(unchecked) @usableFromInline var isSilent = false
    /// Whether a change has been nested in it since the last `takeNested`.
    @safe @exclusivity(unchecked) private var hasNested = false
    /// The payload of each watch among the recipients, from the evaluation until its observers have been called.
    @safe @exclusivity(unchecked) var payloads: ContiguousArray<WatchPayload> = []
    /// The time of the store on the clock of evaluations, if several threads change the property.
    @safe @exclusivity(unchecked) var storedAt: UInt64 = 0
    /// Its event, if tracing is on.
    @safe @exclusivity(unchecked) private(set) var event = EngineTrace.EventNumber.unreported
    // If no stack frame holds the values, they are in boxes, which the next change reuses. The mutation retains the
    // boxes, so that their users need not.
    @safe @exclusivity(unchecked) private var oldBox: Unretained<BoxedValue>?
    @safe @exclusivity(unchecked) private(set) var newBox: Unretained<BoxedValue>?
    /// The access to the property, if it is in place; the runtime may know its address, because a stored property of an
    /// object does not move.
    @safe @exclusivity(unchecked) var access = ExclusiveAccess()
    /// The values that the next set that joins it in a transaction must keep.
    @safe @exclusivity(unchecked) var joinNeeds = JoinNeeds()
    /// The source's version at which the next set in a transaction joins this one; any registration changes it.
    @safe @exclusivity(unchecked) var joinable: UInt32?
    /// The further data that a transaction keeps for this and later changes.
    @safe @exclusivity(unchecked) private(set) var part: TransactionPart?

    private init(of source: Source) { unretainedSource = Unretained(source) }

    deinit { (old, new) = (nil, nil) }

    var source: Source { unretainedSource.object }
    @usableFromInline var property: PropertyIdentity { unretainedSource.with { $0.property } }
    // The values that the recipients need.
    @usableFromInline var needsOld: Bool { unretainedRecipients.with { $0.needsOld } }
    @usableFromInline var needsNew: Bool { unretainedRecipients.with { $0.needsNew } }
    @usableFromInline var needsWhole: Bool { unretainedRecipients.with { $0.needsWhole } }
    var needsOfElements: ValueNeeds { unretainedRecipients.with { $0.needsOfElements } }
    @usableFromInline var hasPriors: Bool { unretainedRecipients.with { $0.hasPriors } }

    // MARK: Recipients

    private func own(_ recipients: Recipients) {
        (unretainedRecipients, ownRecipients, areLent) = (Unretained(recipients), recipients, false)
    }

    /// Borrows the recipients, or finds them.
    func findRecipients() {
        unretainedSource.with { source in
            let watch = ownWatch
            if watch == nil, let lent = source.borrow() {
                (unretainedRecipients, ownRecipients, areLent) = (lent, nil, true)
            } else {
                own(source.recipients(manually: true, with: watch))
            }
        }
    }

    /// Replaces the recipients.
    func replaceRecipients(_ recipients: Recipients) {
        dropRecipients()
        own(recipients)
    }

    /// Releases the recipients until the end, which may never come.
    func dropRecipients() {
        if areLent { unretainedSource.with { $0.giveBack(unretainedRecipients) } }
        (unretainedRecipients, areLent) = (Unretained(.none), false)
        if ownRecipients != nil { ownRecipients = nil }
    }

    // MARK: Before the store

    /// Opens a mutation on this thread.
    ///
    /// - Parameters:
    ///   - source: The property.
    ///   - isManual: Whether observers are called although setting the property does not call them.
    ///   - isAlone: Whether it is beside an open one, not nested in it.
    ///   - newestNumber: The newest registration that takes part, if that is known.
    ///   - watch: The watch at the property's own key path, if its observers take part.
    /// - Returns: The mutation; nil if no observer is notified, or if another mutation includes this change.
    static func open(
        _ source: Source, manually isManual: Bool = false, alone isAlone: Bool = false,
        upTo newestNumber: RegistrationNumber? = nil, with watch: Watch? = nil
    ) -> Mutation? {
        let newest = newestNumber ?? Registration.newestNumber
        if !isAlone, let open = source.openHere {
            open.hasNested = true
            return nil
        }
        let lent = watch == nil && (isManual || source.isAutomatic) ? source.borrow() : nil
        let own = lent == nil ? source.recipients(manually: isManual, with: watch) : nil
        if own?.isEmpty ?? false { return nil }
        let mutation = spare(of: source)
        mutation.newest = newest
        if let own {
            mutation.own(own)
        } else if let lent {
            (mutation.unretainedRecipients, mutation.areLent) = (lent, true)
        }
        if !isAlone, source.open(mutation) { mutation.stage = .open }
        return mutation
    }

    /// Opens a mutation that a class announces, if none is open; `watch` is the one at its own key path.
    static func announce(_ source: Source, _ watch: Watch?) -> Mutation? {
        guard let mutation = open(source, manually: true, with: watch) else { return nil }
        mutation.stage = .announced(inner: 0, isEvaluated: watch != nil, isOpen: mutation.isOpen)
        return mutation
    }

    /// Creates a mutation that is not open, for a transaction to keep.
    static func kept(of source: Source, upTo newest: RegistrationNumber) -> Mutation {
        let mutation = spare(of: source)
        mutation.newest = newest
        return mutation
    }

    private static func spare(of source: Source) -> Mutation {
        let mutation = source.takeSpare() ?? Mutation(of: source)
        (mutation.stage, mutation.isSilent, mutation.hasNested) = (.alone, false, false)
        mutation.event = .unreported
        return mutation
    }

    /// Calls the registrations that requested `.prior`; in a transaction, each once.
    @usableFromInline
    func deliverPrior(_ edit: Edit?, _ values: ChangeValues, of object: AnyObject) {
        guard hasPriors else { return }
        if EngineTrace.isOn { traceBegin(of: object) }
        // A handler may end the change, which then finds other recipients if registrations were added or removed.
        let (recipients, list) = (unretainedRecipients.object, CallList())
        var cursor = Cursor(Unretained(recipients), ignored: IgnoredRegistrations.innermost, upTo: newest)
        while let registration = cursor.next()?.object {
            guard registration.site.options.contains(.prior),
                Transaction.current?.with({ $0.isFirstPrior(of: registration.number) }) ?? true,
                let content = recipients.contentBefore(in: cursor.slot, of: object, edit, values, event)
            else { continue }
            list.append(Call(registration, content))
        }
        Delivery.run(Delivery(of: list))
    }

    /// Counts a change announced inside it.
    func announceInside() {
        hasNested = true
        isSilent = false
        if case .announced(let inner, let isEvaluated, let isOpen) = stage {
            stage = .announced(inner: inner + 1, isEvaluated: isEvaluated, isOpen: isOpen)
        }
    }

    /// Ends a change announced inside it; false if there is none.
    func endInside() -> Bool {
        guard case .announced(let inner, let isEvaluated, let isOpen) = stage, inner > 0 else { return false }
        stage = .announced(inner: inner - 1, isEvaluated: isEvaluated, isOpen: isOpen)
        return true
    }

    var isAnnounced: Bool { if case .announced = stage { true } else { false } }

    /// Whether its source refers to it as open.
    private var isOpen: Bool {
        switch stage {
        case .alone: false
        case .open: true
        case .announced(_, _, let isOpen): isOpen
        }
    }

    /// The watch now at the key path of an announced change, which may have replaced the first one.
    var ownWatch: Watch? {
        guard case .announced(_, isEvaluated: true, _) = stage else { return nil }
        return source.table.watch(at: source.description.name)
    }

    /// Returns whether a change has been nested in it since the last call.
    func takeNested() -> Bool {
        defer { hasNested = false }
        return hasNested
    }

    /// Records that a change is nested in it.
    func noteNested() { hasNested = true }

    // MARK: After the store

    /// Reads each watch that depends on the source, and closes the mutation there.
    ///
    /// - Returns: Whether a getter has changed the property meanwhile.
    @usableFromInline
    @discardableResult
    func evaluate(of object: AnyObject, ofElements isOfElements: Bool = false) -> Bool {
        unretainedSource.with { source in
            defer {
                let (isUsed, version) = unretainedRecipients.with { (!$0.isEmpty, $0.version) }
                if isOpen { source.close(used: isUsed, since: version) }
                stage = .alone
            }
            if !unretainedRecipients.with({ source.isCurrent($0) }) {
                dropRecipients()
                findRecipients()
            }
            if Transaction.current != nil { return false }
            let isChanged = takeNested()
            return unretainedRecipients.with { recipients in
                if recipients.watches.isEmpty { return isChanged }
                if EngineTrace.isOn { traceBegin(of: object) }
                return evaluate(recipients, isOfElements)
            }
        }
    }

    private func evaluate(_ recipients: Recipients, _ isOfElements: Bool) -> Bool {
        for index in recipients.watches.indices {
            payloads.append(Unretained(recipients.watches[index]).with { payload(of: $0, isOfElements) })
        }
        var rounds = 1
        while takeNested(), rounds < Watch.mostRounds {
            rounds += 1
            for index in payloads.indices where payloads[index].value != nil {
                let entry = recipients.watches[index]
                let again = entry.watch.payload(entry.subject, upTo: newest, event)
                payloads[index].finish(entry.watch)
                payloads[index] = again
            }
        }
        return rounds > 1
    }

    /// The payload of a watch.
    private func payload(of entry: WatchEntry, _ isOfElements: Bool) -> WatchPayload {
        let watch = entry.watch
        if !entry.isShared, let leaf = entry.leaf, leaf.carriesSettings || isOfElements, watch.canBeLeftUnread {
            return isSilent ? WatchPayload() : WatchPayload(atLeafOf: entry.subject)
        }
        if isSilent, !watch.isDirty { return WatchPayload() }
        // The watch was last read before the store, and missed nothing else.
        return watch.payload(entry.subject, upTo: newest, event) { [storedAt] in
            isOfElements && entry.leaf != nil && !watch.hasMissedChanges
                && watch.evaluatedAt <= storedAt
        }
    }

    /// Calls the recipients, or lets the open transaction keep the mutation, which is then over.
    @usableFromInline
    func deliver(_ edit: Edit?, _ values: ChangeValues, of object: AnyObject) {
        let isDelivered = !isSilent || payloads.contains { !$0.isNothing }
        if EngineTrace.isOn, isDelivered { traceValues(of: object, edit, values) }
        if let transaction = Transaction.current {
            let isKept = !isSilent && transaction.with { $0.note(self, edit, values, of: object) }
            if event.isReported { traceEnd() }
            if isKept { return dropRecipients() }
        } else if isDelivered {
            missIgnored()
            Delivery.run(
                Delivery(of: Unretained(self), Unretained(object), edit.map { Unretained($0) }, values),
                oneByOne: isUneven || event.isReported)
            withExtendedLifetime((object, edit)) {}
            finishPayloads()
            if event.isReported { traceEnd() }
        }
        finish()
    }

    /// Records which recipients ignore it.
    ///
    /// Another thread that evaluates a watch does this for the watch's observers.
    func missIgnored() {
        guard let ignored = IgnoredRegistrations.innermost else { return }
        unretainedRecipients.with { recipients in
            recipients.miss(ignored) { $0 == 0 || payloads.isEmpty || !payloads[$0 - 1].isNothing }
        }
    }

    private func finishPayloads() {
        if payloads.isEmpty { return }
        unretainedRecipients.with { recipients in
            for index in payloads.indices {
                Unretained(recipients.watches[index]).with { payloads[index].finish($0.watch) }
            }
            while !payloads.isEmpty { payloads.removeLast() }
        }
    }

    /// Releases everything, and gives the mutation back to the source for the next change.
    func finish() {
        dropRecipients()
        while !payloads.isEmpty { payloads.removeLast() }
        // Clearing a box may run code of users.
        oldBox?.with { $0.clear() }
        newBox?.with { $0.clear() }
        unretainedSource.with { $0.takeBack(self) }
    }

    // MARK: Its values

    /// The value before the change, or the removed elements.
    var old: BoxedValue? {
        get { oldBox?.object }
        set { Self.put(newValue, in: &oldBox) }
    }

    /// The value after the change, or the inserted elements.
    var new: BoxedValue? {
        get { newBox?.object }
        set { Self.put(newValue, in: &newBox) }
    }

    private static func put(_ box: BoxedValue?, in place: inout Unretained<BoxedValue>?) {
        let last = place
        place = box.map { .retained($0) }
        unsafe last?.unmanaged.release()
    }

    /// Keeps the value at a place as the old value; traps if it is being changed.
    func keepOld<Value>(_ place: StoragePlace<Value>) {
        guard let oldBox else {
            old = .holding(place.read())
            return
        }
        oldBox.with { $0.replace(withValueAt: place) }
    }

    /// Keeps the value at a place as the new value; traps if it is being changed.
    func keepNew<Value>(_ place: StoragePlace<Value>) {
        guard let newBox else {
            new = .holding(place.read())
            return
        }
        newBox.with { $0.replace(withValueAt: place) }
    }

    /// Keeps a value as the old value.
    @inline(__always)
    func keepOld<Value>(_ value: Value) {
        guard let oldBox else {
            old = .holding(value)
            return
        }
        oldBox.with { $0.replace(with: value) }
    }

    /// Keeps a value as the new value.
    @inline(__always)
    func keepNew<Value>(_ value: Value) {
        guard let newBox else {
            new = .holding(value)
            return
        }
        newBox.with { $0.replace(with: value) }
    }

    /// The kept values.
    var kept: ChangeValues {
        unsafe ChangeValues(old: oldBox?.with { unsafe $0.filled }, new: newBox?.with { unsafe $0.filled })
    }

    // MARK: For the delivery

    /// The newest registration that takes part.
    var reach: RegistrationNumber {
        payloads.isEmpty ? newest : payloads.reduce(newest) { max($0, $1.newest ?? 0) }
    }

    /// Whether each recipient must be checked, because not all take part in the same way.
    var isUneven: Bool {
        if isSilent || part.map({ Unretained($0).with { $0.isUneven(for: unretainedRecipients, newest) } }) ?? false {
            return true
        }
        for index in payloads.indices where payloads[index].isUneven { return true }
        return false
    }

    /// Calls `body` with the content for the observers of one of the watches, if there is any.
    func withContent(
        of index: Int, _ edit: Unretained<Edit>?, _ values: ChangeValues,
        _ body: (Unretained<AnyObject>, Unretained<Edit>?, ChangeValues) -> Void
    ) {
        // The payload holds it until all have been called.
        guard let root = payloads[index].unretainedRoot else { return }
        if let value = payloads[index].values { return body(root, nil, value) }
        unretainedRecipients.with { recipients in
            Unretained(recipients.watches[index]).with { $0.withLeafValues(edit, values, body) }
        }
    }

    /// Calls `body` with a call for each recipient from a cursor on that takes part, and its place in the transaction.
    func forEachCall(
        _ cursor: inout Cursor, _ object: Unretained<AnyObject>, _ edit: Unretained<Edit>?, _ values: ChangeValues,
        _ body: (Call, _ place: Int) -> Void
    ) {
        let recipients = unretainedRecipients.object
        var contents: [Int: CallContent] = [:]
        while let registration = cursor.next()?.object {
            let (slot, number) = (cursor.slot, registration.number)
            let payload = slot == 0 || payloads.isEmpty ? nil : payloads[slot - 1]
            if slot == 0 ? isSilent : payload?.isNothing ?? true { continue }
            // An evaluated value is one setting for all.
            if payload?.value == nil, let late = part?.lateContent(for: number, of: self, in: slot) {
                body(Call(registration, late.content), late.place)
                continue
            }
            guard number <= payload?.newest ?? newest else { continue }
            if contents[slot] == nil {
                if slot == 0 {
                    contents[0] = recipients.content(in: 0, of: object.object, edit?.object, values, event)
                } else {
                    let entry = recipients.watches[slot - 1]
                    withContent(of: slot - 1, edit, values) { root, edit, values in
                        contents[slot] = entry.content(of: root, edit, values, event)
                    }
                }
            }
            if let content = contents[slot] {
                body(Call(registration, content), payload?.place(of: number) ?? part?.place ?? 0)
            }
        }
    }

    /// Lets registrations up to another number take part.
    func takesPart(upTo newest: RegistrationNumber) { self.newest = newest }
}

extension Mutation {
    /// The further data that a transaction keeps, created at the first use.
    func keptPart() -> TransactionPart {
        if let part { return part }
        let new = TransactionPart()
        part = new
        return new
    }
}

/// The values that the next set that joins a mutation in a transaction must keep.
struct JoinNeeds {
    var old = false
    var new = false
}

// MARK: - Tracing

extension Mutation {
    /// Reports the beginning, unless it was reported.
    @inline(never)
    private func traceBegin(of object: AnyObject) {
        if event == .unreported { event = source.traceChange(of: object) }
    }

    /// Reports the values.
    @inline(never)
    private func traceValues(of object: AnyObject, _ edit: Edit?, _ values: ChangeValues) {
        traceBegin(of: object)
        source.traceValues(event, of: object, edit, values)
    }

    /// Reports the end.
    @inline(never)
    private func traceEnd() { EngineTrace.current?.end(event) }
}

extension Source {
    /// Reports a change that was made in one step.
    @inline(never)
    func traceMade(of object: AnyObject, _ edit: Edit?, _ values: ChangeValues) -> EngineTrace.EventNumber {
        let event = traceChange(of: object)
        traceValues(event, of: object, edit, values)
        return event
    }
}
