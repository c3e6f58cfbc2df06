// A watch that other threads' changes found claimed.

extension Watch {
    /// Evaluates it again, and calls those of its observers whom changes concern that other threads left to this one.
    func deliverAgain(
        _ subject: WatchSubject, of root: AnyObject, upTo newest: RegistrationNumber,
        _ ignored: Set<RegistrationNumber>
    ) {
        let value = evaluate(subject, from: root)
        let registrations = registrations.all
        var (new, old) = (
            Optional(value), exchangeLastValue(for: value, keeping: registrations.contains { $0.site.keepsLastValue })
        )
        let change = NotedChange(upTo: newest, ignored: ignored, old: old, new: new)
        var calls: [DeliveryBatch.Call] = []
        for registration in registrations {
            if change.concerns(registration.number) {
                calls.append(.init(registration: registration, object: root, keyPath: nil, change: change))
            } else {
                registration.pass { change.old }
            }
        }
        Delivery.run(DeliveryBatch(calls))
        settle(&new, &old, subject)
    }
}
