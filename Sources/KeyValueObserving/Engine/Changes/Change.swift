// A change, from before its store until its delivery.

/// The bracket around a store: a set, a change of elements, an access in place, or what stands between `willChangeValue`
/// and `didChangeValue`.
///
/// `open` notes the newest registration, and finds the recipients; `deliverPrior` calls those who are called before; the
/// store follows; `evaluate` reads each watch that depends on the source; `deliver` calls everybody in the order of
/// registration, or notes the change in the transaction that is open. The source knows the change until it has evaluated.
/// Only its thread uses it.
@usableFromInline
final class Change: OpenChange, @unchecked Sendable {
    /// Whoever changes the property holds its source.
    private let unretainedSource: Unretained<Source>
    /// Registrations with a later number are not part of it.
    @safe @exclusivity(unchecked) private(set) var newestNumber: RegistrationNumber = 0
    @safe @exclusivity(unchecked) private var recipients = Recipients.none
    /// The recipients, if they are borrowed.
    @safe @exclusivity(unchecked) private var lent: Unretained<Recipients>?
    /// When it was stored, by the clock of evaluations, if several threads change the property.
    @safe @exclusivity(unchecked) var storedAt: UInt64 = 0
    /// What is not called with it, if more than what the thread ignores: registrations that get it after their initial call.
    @safe @exclusivity(unchecked) var heldBack: IgnoredRegistrations?
    /// The watches that depend on the property, from when they are evaluated until their observers have been called.
    @safe @exclusivity(unchecked) private var watches: ContiguousArray<TouchedWatch> = []
    /// The watch at the key path whose change is announced, which is not evaluated until the end.
    @safe @exclusivity(unchecked) var announced: Watch?
    /// Whether the old value of the property is the one that observers of paths that end there received last: it was read
    /// when the change was opened, and no code of others runs before it is closed.
    @safe @exclusivity(unchecked) private var isOldLast = false
    /// Its event, if somebody traces.
    @safe @exclusivity(unchecked) var event = EngineTrace.EventNumber.unreported

    private init(of source: Source) {
        unretainedSource = Unretained(source)
        super.init()
    }

    var source: Source { unretainedSource.object }
    @usableFromInline var property: PropertyIdentity { unretainedSource.with { $0.property } }
    @usableFromInline var needsOld: Bool { recipients.needsOld }
    @usableFromInline var needsNew: Bool { recipients.needsNew }
    @usableFromInline var needsWhole: Bool { recipients.needsWhole }
    var hasPriors: Bool { recipients.hasPriors }

    /// The registrations that are not called with it.
    var ignored: Unretained<IgnoredRegistrations>? { heldBack.map { Unretained($0) } ?? IgnoredRegistrations.innermost }

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
        let recipients = lent?.object ?? source.recipients(manually: isManual)
        if recipients.isEmpty { return nil }
        guard let open = source.open(orMake: { Change(of: source) }) else { return nil }
        // A source has no others.
        let change = unsafe unsafeDowncast(open, to: Change.self)
        change.newestNumber = newest
        (change.recipients, change.lent) = (recipients, lent)
        let isOldLast = !isManual && !recipients.hasPriors
        change.isOldLast = isOldLast && recipients.needsOld
        let areRead = !isOldLast || Transaction.current != nil || IgnoredRegistrations.innermost != nil
        for member in recipients.watches where member.needsLastValue && !member.isShared {
            if areRead || !(member.leaf?.isCertain ?? false) { member.watch.readLastValue(member.subject) }
        }
        return change
    }

    /// The change of a source that is open on this thread.
    static func current(of source: Source) -> Change? {
        source.openHere.map { unsafe unsafeDowncast($0, to: Change.self) }
    }

    /// Calls those before it who ask for that; in a transaction, those who have not been called so in it.
    @usableFromInline
    func deliverPrior(_ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject) {
        guard recipients.hasPriors else { return }
        if _slowPath(EngineTrace.isReporting) { traceBegin(of: object) }
        let transaction = Transaction.current?.object
        var calls: [DeliveryCall] = []
        func add(_ registrations: RegistrationList, of object: AnyObject, _ elements: ElementsChange?, old: BoxedValue?)
        {
            let change = NotedChange(
                ConcernedRegistrations(upTo: newestNumber), elements, BoxedValues(old: old), event: event)
            registrations.visit { registration in
                let number = registration.number
                if registration.site.options.contains(.prior), change.concerned.contains(number),
                    transaction?.isFirstPrior(of: number) ?? true
                {
                    calls.append(
                        .init(registration: registration, object: object, change: change, phase: .prior))
                }
            }
        }
        add(recipients.direct, of: object, elements, old: source.boxed(values).old)
        for member in recipients.watches {
            guard let root = member.subject.root, !member.watch.isHeld else { continue }
            if let leaf = member.leaf, elements != nil, transaction == nil {
                add(
                    member.registrations, of: root, elements,
                    old: leaf.making.boxed(values, member.subject.valueType).old)
            } else {
                add(member.registrations, of: root, nil, old: member.watch.retainedLastValue)
            }
        }
        Delivery.run(calls.sortedByRegistration)
    }

    /// Lets go of the recipients until the end, which may never come.
    func letGo() {
        if let lent { source.giveBack(lent) }
        (recipients, lent) = (.none, nil)
    }

    // MARK: After the store

    /// Reads each watch that depends on the source, and takes the change off it.
    ///
    /// - Returns: Whether a getter has changed the property meanwhile.
    @usableFromInline
    @discardableResult
    func evaluate(of object: AnyObject, ofElements isOfElements: Bool = false) -> Bool {
        let source = source
        defer { source.close(self, used: !recipients.isEmpty) }
        if !source.isCurrent(recipients) {
            letGo()
            recipients = source.recipients(manually: true)
        }
        if Transaction.current != nil { return false }
        if recipients.watches.isEmpty { return takeJoined() }
        _ = takeJoined()
        if _slowPath(EngineTrace.isReporting) { traceBegin(of: object) }
        for member in recipients.watches { watches.append(touched(member, isOfElements)) }
        var rounds = 1
        while takeJoined(), rounds < Watch.mostRounds {
            rounds += 1
            for watch in watches where watch.isEvaluated { watch.evaluate() }
        }
        return rounds > 1
    }

    /// A watch with what its observers are called with.
    private func touched(_ member: WatchRecipients, _ isOfElements: Bool) -> TouchedWatch {
        let (watch, subject) = (member.watch, member.subject)
        let touched = TouchedWatch(watch, ConcernedRegistrations(upTo: newestNumber), event)
        if !member.isShared, let leaf = member.leaf, leaf.isCertain || isOfElements,
            watch.isAsItWas(announced: announced === watch)
        {
            if !isSilent, let root = subject.root {
                touched.useLeaf(of: subject, from: root, claimed: false)
            }
        } else if !isSilent || watch.isDirty, touched.claim() {
            guard let root = subject.root else {
                watch.close()
                return touched
            }
            if member.isShared, isOfElements, member.leaf != nil, !watch.isBehind, watch.evaluatedAt <= storedAt {
                // It was last read before the store, and nothing else was missed.
                touched.useLeaf(of: subject, from: root, claimed: true)
            } else {
                touched.evaluate(subject, from: root)
            }
        }
        return touched
    }

    /// Calls the recipients, or notes the change in the transaction that is open; it is over then.
    @usableFromInline
    func deliver(_ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject) {
        if let transaction = Transaction.current?.object {
            if !isSilent {
                if _slowPath(EngineTrace.isReporting) { traceNoted(of: object, elements, values) }
                transaction.note(self, recipients, elements, values, of: object)
            }
        } else if !watches.isEmpty || _slowPath(EngineTrace.isReporting && !isSilent) {
            deliverOneByOne(elements, values, of: object)
        } else if !isSilent {
            if elements == nil, recipients.arePassed(ignored, upTo: newestNumber) {
                recipients.direct.pass(ignored, upTo: newestNumber) { source.boxed(values).old }
            }
            Delivery.run(
                Delivery(
                    to: Unretained(recipients), of: Unretained(object), elements: elements.map(Unretained.init),
                    ignoring: ignored, upTo: newestNumber, values))
            withExtendedLifetime((recipients, object, elements)) {}
        }
        if event.isReported { traceEnd() }
        letGo()
        (old, announced, postponedEnd, heldBack) = (nil, nil, nil, nil)
        source.takeBack(self)
    }

    /// Calls the recipients, each with its own values.
    ///
    /// Nothing but handlers runs code of users here, and a change in a handler completes this delivery first.
    private func deliverOneByOne(_ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject) {
        if _slowPath(EngineTrace.isReporting) { traceNoted(of: object, elements, values) }
        Delivery.run(calls(elements, values, of: object).sortedByRegistration)
        for watch in watches { watch.finish() }
        watches.removeAll(keepingCapacity: true)
    }

    /// What the recipients are called with; the values are the last ones of watches from here on.
    private func calls(
        _ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject
    ) -> [DeliveryCall] {
        var calls: [DeliveryCall] = []
        if !isSilent, !recipients.direct.isEmpty {
            let boxes = source.boxed(values)
            let concerned = ConcernedRegistrations(upTo: newestNumber, ignoring: ignored?.with { $0.all })
            calls.add(
                recipients.direct, of: object, at: recipients.keyPath,
                NotedChange(concerned, elements, boxes, event: event), keeping: elements == nil ? boxes.old : nil)
        }
        for index in watches.indices where !watches[index].isOutdated {
            let member = recipients.watches[index]
            if watches[index].isEvaluated {
                watches[index].addCalls(for: member.registrations, to: &calls)
            } else if let leaf = member.leaf {
                watches[index].addCalls(for: member, leaf.making, elements, values, oldLast: isOldLast, to: &calls)
            }
        }
        return calls
    }
}
