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
    /// What it means to the watches.
    let reports = WatchReports()
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
    /// - Parameters:
    ///   - source: The property.
    ///   - isManual: Whether it is announced, or silent, where a set does not notify.
    ///   - newestNumber: The newest registration that is part of it; by default, the newest of all.
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
        change.reports.newestNumber = newest
        (change.recipients, change.lent) = (recipients, lent)
        change.reports.isOldLast = recipients.needsOld && !isManual
        let isAny = isManual || Transaction.current != nil || IgnoredRegistrations.innermost != nil
        for member in recipients.watches where member.needsLastValue && !member.isShared {
            if isAny || !(member.leaf?.isCertain ?? false) { member.watch.readLastValue(member.subject) }
        }
        return change
    }

    /// The change of a source that is open on this thread.
    static func current(of source: Source) -> Change? {
        source.openHere.map { unsafe unsafeDowncast($0, to: Change.self) }
    }

    /// Calls those who are called before it.
    @usableFromInline
    func deliverPrior(_ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject) {
        guard recipients.hasPriors else { return }
        if let transaction = Transaction.current?.object {
            transaction.deliverPrior(recipients, self, of: object, elements, values)
        } else {
            run(recipients, elements, values, of: object, isPrior: true)
        }
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
        return EngineTrace.inside(event.isReported ? event : EngineTrace.cause) {
            for member in recipients.watches { reports.all.append(report(member, isOfElements, of: object)) }
            var rounds = 1
            while takeJoined(), rounds < Watch.mostRounds {
                rounds += 1
                for index in reports.all.indices { evaluateAgain(index) }
            }
            return rounds > 1
        }
    }

    /// What the change means to a watch.
    private func report(_ member: WatchRecipients, _ isOfElements: Bool, of object: AnyObject) -> WatchReport {
        let (watch, isAnnounced) = (member.watch, reports.announced === member.watch)
        var (report, newest, evaluation) = (WatchReport.Content.none, newestNumber, 0)
        if !member.isShared, let leaf = member.leaf, leaf.isCertain || isOfElements,
            watch.isAsItWas(announced: isAnnounced)
        {
            if !isSilent, let root = root(of: member.subject, or: object) { report = .made(leaf.making, root) }
        } else if !isSilent || watch.isDirty, case .evaluate(let number) = watch.turn(upTo: newestNumber) {
            newest = number
            if let root = root(of: member.subject, or: object) {
                if member.isShared, isOfElements, let leaf = member.leaf, !watch.isDirty,
                    watch.evaluatedAt <= storedAt
                {
                    // It was last read before the store, and nothing else was missed.
                    report = .made(leaf.making, root)
                } else {
                    if !isOfElements { readLastValue(member, ChangeValues(old: old)) }
                    report = .value(watch.evaluate(member.subject, from: root), root)
                    evaluation = watch.evaluations
                }
            } else {
                watch.close()
            }
        }
        return WatchReport(content: report, evaluation: evaluation, newest: newest)
    }

    /// The object that a watch starts at, if it lives; one whose change is announced may do so in its `deinit`.
    private func root(of subject: WatchSubject, or object: AnyObject) -> AnyObject? {
        isAnnounced ? subject.root(or: object) : subject.root
    }

    /// Makes sure that the last value of a watch that ends at the property is known, before the watch is evaluated.
    func readLastValue(_ member: WatchRecipients, _ values: ChangeValues) {
        guard member.needsLastValue, !member.isShared, member.watch.lastValue == nil, let leaf = member.leaf else {
            return
        }
        let old = leaf.making.boxed(values, member.subject.valueType).old
        if let old { member.watch.keepLastValue(old, member.subject) }
    }

    /// Reads once more what a watch has.
    private func evaluateAgain(_ index: Int) {
        guard case .value(_, let root) = reports.all[index].content else { return }
        let (watch, subject) = (recipients.watches[index].watch, recipients.watches[index].subject)
        reports.all[index].content = .none
        reports.all[index].content = .value(watch.evaluate(subject, from: root), root)
        reports.all[index].evaluation = watch.evaluations
    }

    /// Calls the recipients, or notes the change in the transaction that is open; it is over then.
    @usableFromInline
    func deliver(_ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject) {
        if let transaction = Transaction.current?.object {
            if !isSilent {
                if _slowPath(EngineTrace.isReporting) { traceNoted(of: object, elements, values) }
                transaction.note(self, recipients, elements, values, of: object)
            }
        } else {
            updateLastValues(elements, values)
            run(isSilent ? recipients.withoutDirect : recipients, elements, values, of: object, isPrior: false)
            finishWatches()
        }
        if event.isReported { traceEnd() }
        reports.all.removeAll(keepingCapacity: true)
        letGo()
        (old, reports.announced, postponedEnd, heldBack) = (nil, nil, nil, nil)
        source.takeBack(self)
    }

    /// Updates the last values of watches, and has registrations that the change passes over keep theirs.
    ///
    /// From here on nothing but handlers runs code of users, and a change in a handler completes this delivery first.
    private func updateLastValues(_ elements: ElementsChange?, _ values: ChangeValues) {
        let ignored = IgnoredRegistrations.innermost
        for (index, member) in zip(reports.all.indices, recipients.watches) {
            let newest = reports.all[index].newest
            switch reports.all[index].content {
            case .none, .value(nil, _): break
            case .value(let new?, _):
                // A later evaluation has delivered this one's value, too.
                if reports.all[index].evaluation != member.watch.evaluations {
                    reports.all[index].content = .none
                    member.watch.close()
                    continue
                }
                let old = member.watch.exchangeLastValue(for: new, keeping: member.needsLastValue)
                reports.all[index].old = old
                if member.needsLastValue, recipients.arePassed(ignored, upTo: newest) {
                    member.registrations.pass(ignored, upTo: newest) { old }
                }
            case .made(let making, _):
                guard member.needsLastValue else { continue }
                if elements == nil, !reports.isOldLast { reports.all[index].old = member.copyOfLastValue }
                if recipients.arePassed(ignored, upTo: newest) {
                    member.registrations.pass(ignored, upTo: newest) {
                        if elements != nil { return member.copyOfLastValue }
                        return reports.all[index].old ?? making.boxed(values, member.subject.valueType).old
                    }
                }
                member.watch.updateLastValue(
                    making, values, ofElements: elements != nil, member.subject, keeping: !reports.isOldLast)
            }
        }
        if elements == nil, recipients.arePassed(ignored, upTo: newestNumber) {
            recipients.direct.pass(ignored, upTo: newestNumber) { source.description?.boxed(values).old }
        }
    }

    /// Ends what the evaluations began.
    private func finishWatches() {
        for (index, member) in zip(reports.all.indices, recipients.watches) {
            if case .made = reports.all[index].content, member.isShared { member.watch.close() }
            guard case .value(let value?, _) = reports.all[index].content else { continue }
            var (new, old) = (Optional(value), reports.all[index].old)
            (reports.all[index].content, reports.all[index].old) = (.none, nil)
            member.watch.finish(&new, &old, member.subject)
        }
    }

    private func run(
        _ recipients: Recipients, _ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject,
        isPrior: Bool
    ) {
        if recipients.isEmpty { return }
        if _slowPath(EngineTrace.isReporting) {
            return runTraced(recipients, elements, values, of: object, isPrior: isPrior)
        }
        Delivery.run(
            Delivery(
                to: Unretained(recipients), of: Unretained(object), Unretained(reports),
                elements: elements.map(Unretained.init), isPrior: isPrior, ignoring: ignored,
                newestNumber: newestNumber, values))
        withExtendedLifetime((recipients, object, elements)) {}
    }
}
