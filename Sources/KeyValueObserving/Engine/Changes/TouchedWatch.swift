// A watch that a transaction has touched.

/// A watch that a transaction has touched: it is evaluated once, at the end, and its observers are called.
///
/// Only the thread of the transaction uses it, and no access lasts while code of others runs.
final class TouchedWatch {
    let watch: Watch
    /// The registrations that the changes concern.
    @safe @exclusivity(unchecked) private(set) var concerned: ConcernedRegistrations
    /// The event of the first change.
    let event: EngineTrace.EventNumber
    /// Whether something changed since it was evaluated.
    @safe @exclusivity(unchecked) private(set) var isDue = false
    @safe @exclusivity(unchecked) private(set) var finding = Finding()
    @safe @exclusivity(unchecked) private(set) var subject: WatchSubject?

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

    func evaluate() {
        isDue = false
        guard let subject = watch.subject else { return }
        let new = watch.find(subject, for: concerned, event)
        if new.isNothing { return }
        finding.finish(watch)
        (finding, self.subject) = (new, subject)
    }
}

extension Watch {
    /// Evaluates it again, which its thread has claimed, and calls those of its observers whom changes concern that other
    /// threads left to this one.
    func deliverAgain(
        _ subject: WatchSubject, of root: AnyObject, upTo newest: RegistrationNumber,
        _ ignored: Set<RegistrationNumber>
    ) {
        let change = DeliveredChange(ConcernedRegistrations(upTo: newest, ignoring: ignored))
        let value = evaluate(subject, from: root)
        let finding = Finding(self, root, value, upTo: nil)
        change.prepare(Recipients(direct: RegistrationList(), watches: [alone(subject)]), of: root, [finding])
        Delivery.run(Delivery(of: change))
        withExtendedLifetime(change) {}
        takeBack(value)
    }
}
