// A watch that a change or a transaction has touched.

/// A watch that depends on a property that was changed: it is evaluated once, when the change closes or at the end of the
/// transaction, and its observers are called.
///
/// Only the thread that makes the change uses it, and no access lasts while code of others runs.
final class TouchedWatch {
    private let watch: Watch
    /// The registrations that the changes concern.
    @safe @exclusivity(unchecked) private var concerned: ConcernedRegistrations
    /// The event of the first change.
    private let event: EngineTrace.EventNumber
    /// Whether something changed since it was evaluated.
    @safe @exclusivity(unchecked) private(set) var isDue = false
    @safe @exclusivity(unchecked) private var found: Found?
    /// The value that its observers had received before.
    @safe @exclusivity(unchecked) private var old: BoxedValue?

    /// What its observers are called with.
    private struct Found {
        let subject: WatchSubject
        let root: AnyObject
        /// What was read; nil if it is made of the values of the property at its end.
        let value: BoxedValue?
        /// The number of the evaluation.
        let evaluation: Int
        /// Whether the watch is claimed until they have been called.
        let isClaimed: Bool
    }

    init(_ watch: Watch, _ concerned: ConcernedRegistrations, _ event: EngineTrace.EventNumber) {
        self.watch = watch
        self.concerned = concerned
        self.event = event
    }

    /// Notes that something changed that it depends on.
    func touch(_ others: ConcernedRegistrations) {
        isDue = true
        concerned.add(others)
    }

    // MARK: Finding the value

    /// Evaluates it, unless it is held: then the change that holds it delivers.
    func evaluate() {
        guard claim() else { return }
        guard let subject = watch.subject, let root = subject.root else { return watch.close() }
        evaluate(subject, from: root)
    }

    /// Whether it is to be evaluated; it is claimed once.
    func claim() -> Bool {
        isDue = false
        let newest = concerned.newestOfAll
        guard case .evaluate(let number) = watch.turn(upTo: newest) else { return false }
        if number > newest { concerned.add(ConcernedRegistrations(upTo: number, ignoring: nil)) }
        if found != nil {
            found = nil
            watch.close()
        }
        return true
    }

    /// Evaluates it, once it is claimed.
    func evaluate(_ subject: WatchSubject, from root: AnyObject) {
        let value = EngineTrace.inside(event.isReported ? event : EngineTrace.cause) {
            watch.evaluate(subject, from: root)
        }
        found = Found(subject: subject, root: root, value: value, evaluation: watch.evaluations, isClaimed: true)
    }

    /// Has its values made of those of the property at its end, in place of an evaluation.
    func useLeaf(of subject: WatchSubject, from root: AnyObject, claimed isClaimed: Bool) {
        found = Found(subject: subject, root: root, value: nil, evaluation: 0, isClaimed: isClaimed)
    }

    /// Whether a later evaluation has delivered the value of this one, too.
    var isOutdated: Bool { found.map { $0.value != nil && $0.evaluation != watch.evaluations } ?? true }

    /// Whether it was evaluated.
    var isEvaluated: Bool { found?.value != nil }

    // MARK: Calling the observers

    /// Adds the calls of its observers, with the value that was found, which is the last one from here on.
    func addCalls(to calls: inout [DeliveryCall]) { addCalls(for: watch.registrations, to: &calls) }

    /// The same for registrations that are known to be all.
    func addCalls(for registrations: RegistrationList, to calls: inout [DeliveryCall]) {
        guard let found, let value = found.value else { return }
        old = watch.exchangeLastValue(for: value, keeping: registrations.needLastValue)
        calls.add(
            registrations, of: found.root,
            NotedChange(concerned, nil, BoxedValues(old: old, new: value), event: event), keeping: old)
    }

    /// Adds the calls of its observers, with values that are made of those of the property at its end.
    ///
    /// `isOldLast` says whether the property's old value makes the last one.
    func addCalls(
        for member: WatchRecipients, _ making: PathLeaf, _ elements: ElementsChange?, _ values: ChangeValues,
        oldLast isOldLast: Bool, to calls: inout [DeliveryCall]
    ) {
        guard let found else { return }
        var boxes = making.boxed(values, found.subject.valueType)
        let last = member.needsLastValue && (elements != nil || !isOldLast) ? member.copyOfLastValue : nil
        if elements == nil, let last { boxes.old = last }
        calls.add(
            member.registrations, of: found.root, NotedChange(concerned, elements, boxes, event: event),
            keeping: elements == nil ? boxes.old : last)
        // A registration that the change passes over may keep the box; `settle` makes it hold its object weakly.
        if found.subject.isObject { old = boxes.old }
        if member.needsLastValue {
            watch.updateLastValue(making, values, ofElements: elements != nil, found.subject, keeping: !isOldLast)
        }
    }

    /// Ends what the evaluation began: its observers have been called.
    func finish() {
        let isClaimed = found?.isClaimed ?? false
        settle()
        if isClaimed { watch.close() }
    }

    /// The same where its thread keeps the claim.
    fileprivate func settle() {
        guard let found else { return }
        var (new, old) = (found.value, old)
        let subject = found.subject
        (self.found, self.old) = (nil, nil)
        watch.settle(&new, &old, subject)
    }
}

extension Watch {
    /// Evaluates it again, which its thread has claimed, and calls those of its observers whom changes concern that other
    /// threads left to this one.
    func deliverAgain(
        _ subject: WatchSubject, of root: AnyObject, upTo newest: RegistrationNumber,
        _ ignored: Set<RegistrationNumber>
    ) {
        let touched = TouchedWatch(self, ConcernedRegistrations(upTo: newest, ignoring: ignored), .unreported)
        touched.evaluate(subject, from: root)
        var calls: [DeliveryCall] = []
        touched.addCalls(to: &calls)
        Delivery.run(calls)
        touched.settle()
    }
}
