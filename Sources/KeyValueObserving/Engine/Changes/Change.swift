// A change, from before its store until its delivery.

/// The bracket around a store: a set, a change of elements, an access in place, or what stands between `willChangeValue`
/// and `didChangeValue`.
///
/// `open` notes the newest registration, and finds the recipients; `deliverPrior` calls those who are called before; the
/// store follows; `evaluate` reads each watch that depends on the source; `deliver` calls everybody in the order of
/// registration, or has the transaction that is open keep the change. The source knows the change until it has evaluated:
/// what changes the same source on the same thread belongs to it. Only its thread uses it.
@usableFromInline
final class Change: DeliveredChange, @unchecked Sendable {
    // No access lasts while code of others runs.
    /// Whoever changes the property holds its source.
    private let unretainedSource: Unretained<Source>
    /// When it was stored, by the clock of evaluations, if several threads change the property.
    @safe @exclusivity(unchecked) var storedAt: UInt64 = 0
    /// The watch at the key path whose change is announced, which is not evaluated until the end.
    @safe @exclusivity(unchecked) var announced: Watch?

    // While a transaction keeps it, see `Change+Noted.swift`:
    /// The source, held.
    @safe @exclusivity(unchecked) var keptSource: Source?
    /// Later changes of the property that are not part of it.
    @safe @exclusivity(unchecked) var later: ContiguousArray<Change> = []
    /// The watches that it touched first.
    @safe @exclusivity(unchecked) var touched: ContiguousArray<TouchedWatch> = []
    /// Where the next set belongs to the last one of these: as long as nobody comes or goes.
    @safe @exclusivity(unchecked) var joinable: UInt32?
    /// Whether the value before the next set that joins it is still to be kept, and whether the value after it is.
    @safe @exclusivity(unchecked) @usableFromInline var isOldNeeded = false
    @safe @exclusivity(unchecked) @usableFromInline var isNewNeeded = false

    init(of source: Source) {
        unretainedSource = Unretained(source)
        super.init(ConcernedRegistrations(upTo: 0, ignoring: nil))
    }

    var source: Source { unretainedSource.object }
    /// Whether its source knows it, on this thread.
    var isOpenHere: Bool { unretainedSource.with { $0.openHere === self } }

    override func isFirstPrior(of number: RegistrationNumber) -> Bool {
        Transaction.current?.with { $0.isFirstPrior(of: number) } ?? true
    }
    @usableFromInline var property: PropertyIdentity { unretainedSource.with { $0.property } }
    @usableFromInline var needsOld: Bool { unretainedRecipients.with { $0.needsOld } }
    @usableFromInline var needsNew: Bool { unretainedRecipients.with { $0.needsNew } }
    @usableFromInline var needsWhole: Bool { unretainedRecipients.with { $0.needsWhole } }
    var hasPriors: Bool { unretainedRecipients.with { $0.hasPriors } }

    // MARK: Before the store

    /// Opens a change on this thread.
    ///
    /// - Returns: The change; nil if nobody is notified, or if another one speaks for it.
    static func open(
        _ source: Source, manually isManual: Bool = false, upTo newestNumber: RegistrationNumber? = nil
    ) -> Change? {
        let newest = newestNumber ?? Registration.newestNumber
        if let open = source.openHere {
            open.join()
            return nil
        }
        let lent = isManual || source.isAutomatic ? source.borrow() : nil
        let own = lent == nil ? source.recipients(manually: isManual) : nil
        if own?.isEmpty ?? false { return nil }
        guard let open = source.open(orMake: { Change(of: source) }) else {
            if let lent { source.giveBack(lent) }
            return nil
        }
        // A source has no others.
        let change = unsafe unsafeDowncast(open, to: Change.self)
        change.concerned = ConcernedRegistrations(upTo: newest, ignoring: nil)
        if let lent { (change.unretainedRecipients, change.areLent) = (lent, true) }
        if let own { change.recipients = own }
        change.prepare(manually: isManual)
        return change
    }

    /// The change of a source that is open on this thread.
    static func current(of source: Source) -> Change? {
        source.openHere.map { unsafe unsafeDowncast($0, to: Change.self) }
    }

    /// A change that is not open, as a transaction keeps it.
    static func kept(of source: Source, upTo newest: RegistrationNumber) -> Change {
        let change = unsafe unsafeDowncast(source.spareChange(orMake: { Change(of: source) }), to: Change.self)
        change.concerned = ConcernedRegistrations(upTo: newest, ignoring: nil)
        return change
    }

    private func prepare(manually isManual: Bool) {
        let isOldLast = !isManual && !hasPriors
        self.isOldLast = isOldLast && needsOld
        isOfTransaction = Transaction.current != nil
        unretainedRecipients.with { recipients in
            if recipients.watches.isEmpty { return }
            let areRead = !isOldLast || isOfTransaction || IgnoredRegistrations.innermost != nil
            for member in recipients.watches where member.watch.isUntold && !member.isShared {
                if areRead || !(member.leaf?.isCertain ?? false) { member.watch.readTold(member.subject) }
            }
        }
    }

    /// Calls those before it who ask for that; in a transaction, those who have not been called so in it.
    @usableFromInline
    func deliverPrior(_ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject) {
        guard hasPriors else { return }
        if _slowPath(EngineTrace.isReporting) { traceBegin(of: object) }
        concerned = ConcernedRegistrations(upTo: concerned.newest)
        run(.prior, elements, values, of: object)
    }

    /// Calls recipients.
    private func run(
        _ phase: ChangePhase, _ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject
    ) {
        Delivery.run(Delivery(phase, of: self, Unretained(object), elements.map { Unretained($0) }, values))
        withExtendedLifetime((object, elements)) {}
    }

    /// Borrows the recipients, unless they are lent or not known.
    func borrow(from source: Source) -> Bool {
        guard let lent = source.borrow() else { return false }
        (unretainedRecipients, areLent) = (lent, true)
        return true
    }

    /// Lets go of the recipients until the end, which may never come.
    func letGo() {
        if areLent { unretainedSource.with { $0.giveBack(unretainedRecipients) } }
        (unretainedRecipients, areLent) = (Unretained(.none), false)
        if ownRecipients != nil { ownRecipients = nil }
    }

    // MARK: After the store

    /// Reads each watch that depends on the source, and takes the change off it.
    ///
    /// - Returns: Whether a getter has changed the property meanwhile.
    @usableFromInline
    @discardableResult
    func evaluate(of object: AnyObject, ofElements isOfElements: Bool = false) -> Bool {
        unretainedSource.with { source in
            defer { source.close(self, used: unretainedRecipients.with { !$0.isEmpty }) }
            if !unretainedRecipients.with({ source.isCurrent($0) }) {
                letGo()
                if !borrow(from: source) { recipients = source.recipients(manually: true) }
            }
            if IgnoredRegistrations.innermost != nil { concerned = ConcernedRegistrations(upTo: concerned.newest) }
            if Transaction.current != nil { return false }
            let isJoined = takeJoined()
            return unretainedRecipients.with { recipients in
                if recipients.watches.isEmpty { return isJoined }
                if _slowPath(EngineTrace.isReporting) { traceBegin(of: object) }
                return evaluate(recipients, isOfElements)
            }
        }
    }

    private func evaluate(_ recipients: Recipients, _ isOfElements: Bool) -> Bool {
        for index in recipients.watches.indices {
            findings.append(Unretained(recipients.watches[index]).with { find($0, isOfElements) })
        }
        var rounds = 1
        while takeJoined(), rounds < Watch.mostRounds {
            rounds += 1
            for index in findings.indices where findings[index].value != nil {
                let member = recipients.watches[index]
                let again = member.watch.find(member.subject, for: concerned, event)
                if again.isNothing { continue }
                findings[index].finish(member.watch)
                findings[index] = again
            }
        }
        return rounds > 1
    }

    /// What the observers of a watch are told.
    private func find(_ member: WatchRecipients, _ isOfElements: Bool) -> Finding {
        let watch = member.watch
        if !member.isShared, let leaf = member.leaf, leaf.isCertain || isOfElements,
            watch.isAsItWas(announced: announced === watch)
        {
            return isSilent ? Finding() : Finding(atEndOf: member.subject)
        }
        if isSilent, !watch.isDirty { return Finding() }
        // It was last read before the store, and nothing else was missed.
        return watch.find(member.subject, for: concerned, event) { [storedAt] in
            member.isShared && isOfElements && member.leaf != nil && !watch.isBehind && watch.evaluatedAt <= storedAt
        }
    }

    /// Leaves out registrations that get it later.
    func hold(_ numbers: [RegistrationNumber]) {
        if !numbers.isEmpty { concerned.ignore(numbers) }
    }

    /// Calls the recipients, or has the transaction that is open keep the change; it is over then.
    @usableFromInline
    func deliver(_ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject) {
        if _slowPath(EngineTrace.isReporting), !isSilent || findsSomething {
            traceNoted(of: object, elements, values)
        }
        if let transaction = Transaction.current {
            let isKept = !isSilent && transaction.with { $0.note(self, elements, values, of: object) }
            if event.isReported { traceEnd() }
            if isKept {
                (announced, postponedEnd) = (nil, nil)
                return letGo()
            }
        } else if !isSilent || findsSomething {
            if !isSilent { noteMissing { elements == nil ? source.boxed(values).old : nil } }
            run(.change, elements, values, of: object)
            unretainedRecipients.with { recipients in
                while let finding = findings.popLast() {
                    Unretained(recipients.watches[findings.count]).with { finding.finish($0.watch) }
                }
            }
            if event.isReported { traceEnd() }
        }
        finish()
    }

    /// Lets go of everything, and gives it back to the source for the next change.
    func finish() {
        letGo()
        while findings.popLast() != nil {}
        if announced != nil { announced = nil }
        if postponedEnd != nil { postponedEnd = nil }
        // That may run code of users.
        old?.clear()
        new?.clear()
        unretainedSource.with { $0.takeBack(self) }
    }

    private var findsSomething: Bool {
        for index in findings.indices where !findings[index].isNothing { return true }
        return false
    }
}
