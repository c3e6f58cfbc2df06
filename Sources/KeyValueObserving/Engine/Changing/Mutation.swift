// A change of one property, from before its store until its delivery.

/// The bracket around a store: a set, a change of elements, an access in place, or what stands between `willChangeValue`
/// and `didChangeValue`.
///
/// `open` notes the newest registration, and finds the recipients; `deliverPrior` calls those that are called before; the
/// store follows; `evaluate` reads each watch that depends on the source; `deliver` calls everybody in the order of
/// registration, or has the transaction that is open keep the mutation. The source knows the mutation until it has evaluated:
/// what changes the same source on the same thread belongs to it. Only its thread uses it.
@usableFromInline
final class Mutation: OpenMutation, @unchecked Sendable {
    // No access lasts while code of others runs.
    /// Whoever changes the property holds its source; none if a watch alone is delivered.
    private let unretainedSource: Unretained<Source>?
    /// The registrations that take part.
    @safe @exclusivity(unchecked) private(set) var filter = Filter(upTo: 0, ignoring: nil)
    @safe @exclusivity(unchecked) private(set) var unretainedRecipients = Unretained(Recipients.none)
    /// Holds the recipients, unless they are borrowed.
    @safe @exclusivity(unchecked) private var ownRecipients: Recipients?
    @safe @exclusivity(unchecked) private(set) var areLent = false
    // What the recipients need of the property.
    @safe @exclusivity(unchecked) @usableFromInline private(set) var needsOld = false
    @safe @exclusivity(unchecked) @usableFromInline private(set) var needsNew = false
    @safe @exclusivity(unchecked) @usableFromInline private(set) var needsWhole = false
    @safe @exclusivity(unchecked) @usableFromInline private(set) var hasPriors = false
    /// What each watch among the recipients is told, from the evaluation until its observers have been called.
    @safe @exclusivity(unchecked) private var payloads: ContiguousArray<WatchPayload> = []
    /// Whether its priors are called in a transaction, which may change more before it ends.
    @safe @exclusivity(unchecked) private var isOfTransaction = false
    /// When it was stored, by the clock of evaluations, if several threads change the property.
    @safe @exclusivity(unchecked) var storedAt: UInt64 = 0
    /// The watch at the key path whose change is announced, which is not evaluated until the end.
    @safe @exclusivity(unchecked) var announced: Watch?

    // While a transaction keeps it:
    /// The source, held, and the object while its observers are called.
    @safe @exclusivity(unchecked) private var keptSource: Source?
    @safe @exclusivity(unchecked) private var object: AnyObject?
    /// Later steps of the property that are not part of it.
    @safe @exclusivity(unchecked) private var later: ContiguousArray<Mutation> = []
    /// The watches that it touched first.
    @safe @exclusivity(unchecked) private(set) var touched: ContiguousArray<DueWatch> = []
    /// Where the next set belongs to the last step: as long as nobody comes or goes.
    @safe @exclusivity(unchecked) var joinable: UInt32?
    /// The slots that a change in a handler has told before it was the turn of this.
    @safe @exclusivity(unchecked) var toldSlots: Set<Int> = []
    /// Whether the value before the next set that joins it is still to be kept, and whether the value after it is.
    @safe @exclusivity(unchecked) @usableFromInline var isOldNeeded = false
    @safe @exclusivity(unchecked) @usableFromInline var isNewNeeded = false

    init(of source: Source) {
        unretainedSource = Unretained(source)
        super.init()
    }

    /// What the observers of a watch alone are told.
    init(of root: AnyObject, _ payload: WatchPayload, to slot: WatchSlot, _ filter: Filter) {
        unretainedSource = nil
        super.init()
        self.filter = filter
        hold(Recipients(direct: RegistrationList(), watches: [slot]))
        payloads = [payload]
        object = root
        noteMissing()
    }

    private var liveSource: Unretained<Source> { unsafe unretainedSource.unsafelyUnwrapped }
    var source: Source { liveSource.object }
    @usableFromInline var property: PropertyIdentity { liveSource.with { $0.property } }

    private func take(_ recipients: Unretained<Recipients>, own: Recipients? = nil) {
        (unretainedRecipients, ownRecipients, areLent) = (recipients, own, own == nil)
        recipients.with { recipients in
            (needsOld, needsNew, needsWhole) = (recipients.needsOld, recipients.needsNew, recipients.needsWhole)
            hasPriors = recipients.hasPriors
        }
    }

    private func hold(_ recipients: Recipients) { take(Unretained(recipients), own: recipients) }

    /// Borrows the recipients, or finds them.
    private func findRecipients(_ source: Source) {
        if let lent = source.borrow() { take(lent) } else { hold(source.recipients(manually: true)) }
    }

    /// Lets go of the recipients until the end, which may never come.
    func dropRecipients() {
        if areLent { liveSource.with { $0.giveBack(unretainedRecipients) } }
        (unretainedRecipients, areLent) = (Unretained(.none), false)
        if ownRecipients != nil { ownRecipients = nil }
    }

    // MARK: Before the store

    /// Opens a mutation on this thread.
    ///
    /// - Returns: The mutation; nil if nobody is notified, or if another one speaks for it.
    static func open(
        _ source: Source, manually isManual: Bool = false, upTo newestNumber: RegistrationNumber? = nil
    ) -> Mutation? {
        let newest = newestNumber ?? Registration.newestNumber
        if let open = source.openHere {
            open.join()
            return nil
        }
        let lent = isManual || source.isAutomatic ? source.borrow() : nil
        let own = lent == nil ? source.recipients(manually: isManual) : nil
        if own?.isEmpty ?? false { return nil }
        // A source has no others.
        let mutation = unsafe unsafeDowncast(source.open(orMake: { Mutation(of: source) }), to: Mutation.self)
        mutation.filter = Filter(upTo: newest, ignoring: nil)
        if let lent { mutation.take(lent) } else if let own { mutation.hold(own) }
        return mutation
    }

    /// The mutation of a source that is open on this thread.
    static func current(of source: Source) -> Mutation? {
        source.openHere.map { unsafe unsafeDowncast($0, to: Mutation.self) }
    }

    /// Calls the registrations that ask to be called before a change; in a transaction, each once.
    @usableFromInline
    func deliverPrior(_ edit: Edit?, _ values: ChangeValues, of object: AnyObject) {
        guard hasPriors else { return }
        if _slowPath(EngineTrace.isReporting) { traceBegin(of: object) }
        filter = Filter(upTo: filter.newest)
        isOfTransaction = Transaction.current != nil
        // A handler may end the change, which finds others then if somebody came or went.
        let recipients = unretainedRecipients.object
        run(.prior, edit, values, of: object)
        withExtendedLifetime(recipients) {}
    }

    func isFirstPrior(of number: RegistrationNumber) -> Bool {
        !isOfTransaction || Transaction.current?.with { $0.isFirstPrior(of: number) } ?? true
    }

    /// Calls recipients.
    private func run(
        _ phase: ChangePhase, _ edit: Edit?, _ values: ChangeValues, of object: AnyObject
    ) {
        Delivery.run(Delivery(phase, of: Unretained(self), Unretained(object), edit.map { Unretained($0) }, values))
        withExtendedLifetime((object, edit)) {}
    }

    // MARK: After the store

    /// Reads each watch that depends on the source, and takes the mutation off it.
    ///
    /// - Returns: Whether a getter has changed the property meanwhile.
    @usableFromInline
    @discardableResult
    func evaluate(of object: AnyObject, ofElements isOfElements: Bool = false) -> Bool {
        liveSource.with { source in
            defer {
                let (isUsed, version) = unretainedRecipients.with { (!$0.isEmpty, $0.version) }
                source.close(self, used: isUsed, since: version)
            }
            if !unretainedRecipients.with({ source.isCurrent($0) }) {
                dropRecipients()
                findRecipients(source)
            }
            if IgnoredRegistrations.innermost != nil { filter = Filter(upTo: filter.newest) }
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
            payloads.append(Unretained(recipients.watches[index]).with { payload(of: $0, isOfElements) })
        }
        var rounds = 1
        while takeJoined(), rounds < Watch.mostRounds {
            rounds += 1
            for index in payloads.indices where payloads[index].value != nil {
                let slot = recipients.watches[index]
                let again = slot.watch.payload(slot.subject, for: filter, event)
                if again.isNothing { continue }
                payloads[index].finish(slot.watch)
                payloads[index] = again
            }
        }
        return rounds > 1
    }

    /// What the observers of a watch are told.
    private func payload(of slot: WatchSlot, _ isOfElements: Bool) -> WatchPayload {
        let watch = slot.watch
        if !slot.isShared, let leaf = slot.leaf, leaf.carriesSettings || isOfElements,
            watch.canBeLeftUnread(announced: announced === watch)
        {
            return isSilent ? WatchPayload() : WatchPayload(atEndOf: slot.subject)
        }
        if isSilent, !watch.isDirty { return WatchPayload() }
        // It was last read before the store, and nothing else was missed.
        return watch.payload(slot.subject, for: filter, event) { [storedAt] in
            slot.isShared && isOfElements && slot.leaf != nil && !watch.hasMissedChanges
                && watch.evaluatedAt <= storedAt
        }
    }

    /// Leaves out registrations that get it later.
    func leaveOut(_ numbers: [RegistrationNumber]) {
        if !numbers.isEmpty { filter.ignore(numbers) }
    }

    /// Calls the recipients, or has the transaction that is open keep the mutation; it is over then.
    @usableFromInline
    func deliver(_ edit: Edit?, _ values: ChangeValues, of object: AnyObject) {
        if _slowPath(EngineTrace.isReporting), !isSilent || hasPayload {
            traceNoted(of: object, edit, values)
        }
        if let transaction = Transaction.current {
            let isKept = !isSilent && transaction.with { $0.note(self, edit, values, of: object) }
            if event.isReported { traceEnd() }
            if isKept {
                (announced, postponedEnd) = (nil, nil)
                return dropRecipients()
            }
        } else if !isSilent || hasPayload {
            if !isSilent { noteMissing() }
            run(.change, edit, values, of: object)
            if !payloads.isEmpty { finishPayloads() }
            if event.isReported { traceEnd() }
        }
        finish()
    }

    private func finishPayloads() {
        unretainedRecipients.with { recipients in
            for index in payloads.indices {
                Unretained(recipients.watches[index]).with { payloads[index].finish($0.watch) }
            }
            while !payloads.isEmpty { payloads.removeLast() }
        }
    }

    /// Lets go of everything, and gives it back to the source for the next change.
    private func finish() {
        dropRecipients()
        while !payloads.isEmpty { payloads.removeLast() }
        if announced != nil { announced = nil }
        if postponedEnd != nil { postponedEnd = nil }
        // That may run code of users.
        old?.clear()
        new?.clear()
        liveSource.with { $0.takeBack(self) }
    }

    private var hasPayload: Bool {
        for index in payloads.indices where !payloads[index].isNothing { return true }
        return false
    }

    // MARK: What a delivery asks

    /// The newest registration that takes part, and whether they do not all take part alike.
    var reach: (newest: RegistrationNumber, isUneven: Bool) {
        var (newest, isUneven) = (filter.newest, isSilent || filter.ignored != nil || !later.isEmpty)
        if !later.isEmpty { for step in later { newest = max(newest, step.filter.newest) } }
        for index in payloads.indices {
            guard let others = payloads[index].filter else { continue }
            newest = max(newest, others.newest)
            isUneven = true
        }
        return (newest, isUneven)
    }

    /// Whether a registration in a slot takes part.
    func admits(_ number: RegistrationNumber, in slot: Int) -> Bool {
        if slot == 0 || payloads.isEmpty { return !isSilent && (hasSteps || filter.admits(number)) }
        return (payloads[slot - 1].filter ?? filter).admits(number)
    }

    /// Notes the registrations that it passes over.
    private func noteMissing() {
        unretainedRecipients.with { recipients in
            guard !recipients.isEmpty else { return }
            if filter.ignored == nil, recipients.newest <= filter.newest { return }
            for index in 0..<recipients.members.count {
                let slot = recipients.members.slot(at: index)
                // The thread that has claimed a watch changes what its observers were told.
                if slot > 0, !payloads.isEmpty, payloads[slot - 1].isNothing { continue }
                recipients.members[index].with { if !admits($0.number, in: slot) { $0.miss() } }
            }
        }
    }

    /// Calls `body` with what the observers of one of the watches are told, unless that is nothing.
    func tell(
        _ index: Int, _ phase: ChangePhase, _ edit: Unretained<Edit>?, _ values: ChangeValues,
        _ body: (Unretained<AnyObject>, Unretained<Edit>?, ChangeValues) -> Void
    ) {
        unretainedRecipients.with { recipients in
            Unretained(recipients.watches[index]).with { slot in
                if phase == .prior {
                    guard let root = slot.subject.root, !slot.watch.isHeld else { return }
                    defer { withExtendedLifetime(root) {} }
                    if let leaf = slot.leaf, edit != nil, !isOfTransaction {
                        leaf.withValues(values) { body(Unretained(root), edit, $0) }
                    } else {
                        body(Unretained(root), nil, unsafe .none)
                    }
                    return
                }
                // It is held until all have been called.
                guard let root = payloads[index].unretainedRoot else { return }
                if let value = payloads[index].values {
                    body(root, nil, value)
                } else {
                    slot.leaf?.withValues(values) { body(root, edit, $0) }
                }
            }
        }
    }

    /// The object, while its observers are called.
    var unretainedObject: Unretained<AnyObject> { object.map { Unretained($0) } ?? Unretained(self) }
    var keptValues: ChangeValues {
        @inline(__always) get { ChangeValues(old: old, new: new, whole: whole) }
    }
}

// MARK: - In a transaction

/// Settings of a property that follow one another in a transaction are one step, as long as the same registrations take
/// part.
extension Mutation {
    /// One that is not open, as a transaction keeps it.
    static func kept(of source: Source, upTo newest: RegistrationNumber) -> Mutation {
        let mutation = unsafe unsafeDowncast(source.spareMutation(orMake: { Mutation(of: source) }), to: Mutation.self)
        mutation.filter = Filter(upTo: newest, ignoring: nil)
        return mutation
    }

    /// The last step.
    var last: Mutation { later.last ?? self }
    /// Whether there are several steps.
    var hasSteps: Bool { !later.isEmpty }

    /// Adds a step.
    func append(_ step: Mutation) { later.append(step) }

    /// Adds a watch that no mutation before it has touched.
    func touch(_ watch: DueWatch) { touched.append(watch) }

    /// Whether a setting belongs to the last step, if registrations up to a number take part in it.
    func takesSetting(_ newest: RegistrationNumber, _ ignored: Set<RegistrationNumber>?) -> Bool {
        last.edit == nil && last.filter.includes(newest, ignoring: ignored)
    }

    /// Begins as a setting for registrations on the property itself.
    func begin(_ recipients: Recipients) {
        keptSource = source
        (isOldNeeded, isNewNeeded) = (recipients.needsOld, recipients.needsNew)
    }

    /// Notes a set that belongs to it.
    @inlinable
    func note<Value>(old: Value, new value: Value) {
        if isOldNeeded {
            isOldNeeded = false
            keep(old, in: &self.old)
        }
        if isNewNeeded { keep(value, in: &new) }
    }

    /// Keeps a value in a box that is there for it.
    @inlinable
    func keep<Value>(_ value: Value, in box: inout BoxedValue?) {
        if let box { box.replace(with: value) } else { box = .holding(value) }
    }

    /// Keeps its values until the end of the transaction.
    func note(_ values: KeptValues) {
        keptSource = source
        keep(values)
        (isOldNeeded, isNewNeeded) = (false, needsNew)
    }

    /// Finds its recipients, at the end of the transaction, when the watches have been evaluated.
    func prepareDelivery() {
        let source = source
        object = source.table.object
        findRecipients(source)
        // Watches that another mutation has touched are told by that; one that does not depend on the source any more, here.
        if !touched.isEmpty, object == nil || touched.contains(where: { $0.slot(in: unretainedRecipients) == nil }) {
            dropRecipients()
            let direct = object == nil ? RegistrationList() : source.direct
            hold(source.recipients(of: direct, ContiguousArray(touched.compactMap(\.ownSlot))))
        }
        if let object, needsWhole, last.edit != nil, last.whole == nil { last.whole = source.reader?(object, nil) }
        for _ in 0..<unretainedRecipients.with({ $0.watches.count }) { payloads.append(WatchPayload()) }
        for watch in touched {
            if let slot = watch.slot(in: unretainedRecipients) {
                payloads[slot - 1] = watch.payload.told(to: watch.filter, by: filter)
            }
        }
        noteMissing()
    }

    /// What a registration is called with: settings that follow one another as one; all as one if it gets whole values.
    func steps(for registration: Registration) -> [KeptValues] {
        let (number, steps) = (registration.number, [self] + later)
        if registration.site.wantsWholes, steps.contains(where: { $0.edit != nil }) {
            guard let first = steps.first(where: { $0.filter.admits(number) }) else { return [] }
            return [KeptValues(old: first.edit == nil ? first.old : nil, new: last.edit == nil ? last.new : last.whole)]
        }
        var calls: [KeptValues] = []
        var isJoinable = false
        for step in steps {
            guard step.filter.admits(number) else {
                if calls.isEmpty { registration.miss() }
                continue
            }
            if isJoinable, step.edit == nil {
                calls[calls.count - 1].new = step.new
            } else {
                calls.append(KeptValues(step.edit, old: step.old, new: step.new, whole: step.whole))
            }
            isJoinable = step.edit == nil
        }
        return calls
    }

    /// Lets go of what it kept, after its observers have been called.
    func endKeeping() {
        // The source goes last.
        let source = keptSource.take()
        payloads = []
        while let watch = touched.popLast() { watch.finish() }
        while let step = later.popLast() { step.endKeeping() }
        if edit != nil { (edit, whole) = (nil, nil) }
        (joinable, object) = (nil, nil)
        if !toldSlots.isEmpty { toldSlots = [] }
        finish()
        withExtendedLifetime(source) {}
    }
}

extension Mutation {
    /// Reports that it begins, unless that was reported.
    @inline(never)
    func traceBegin(of object: AnyObject) {
        if !event.isReported { event = source.traceChange(of: object) }
    }

    /// Reports that it has ended.
    @inline(never)
    func traceEnd() {
        EngineTrace.current?.end(event)
    }

    /// Reports that it was made in a transaction, which delivers it at its end.
    @inline(never)
    func traceNoted(of object: AnyObject, _ edit: Edit?, _ values: ChangeValues) {
        traceBegin(of: object)
        source.traceValues(event, of: object, edit, values)
    }
}

extension Source {
    /// Reports a change that was made at once.
    @inline(never)
    func traceMade(of object: AnyObject, _ edit: Edit?, _ values: ChangeValues) -> EngineTrace.EventNumber {
        let event = traceChange(of: object)
        traceValues(event, of: object, edit, values)
        return event
    }
}
