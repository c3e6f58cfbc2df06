// What is reported to a tracer of a change.

extension Change {
    /// Reports that it begins, unless that was reported.
    @inline(never)
    func traceBegin(of object: AnyObject) {
        if !event.isReported { event = source.traceChange(of: object) }
    }

    /// Reports that it has ended.
    @inline(never)
    func traceEnd() {
        EngineTrace.current?.end(event)
        event = .unreported
    }

    /// Reports that it was made in a transaction, which delivers it at its end.
    @inline(never)
    func traceNoted(of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues) {
        traceBegin(of: object)
        source.traceValues(event, of: object, elements, values)
    }
}

extension Assignment {
    /// Calls recipients that were borrowed one by one, and reports each call.
    @inline(never)
    static func deliverTraced(
        to borrowed: Borrowed, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        let (source, recipients) = (borrowed.source.object, borrowed.recipients.object)
        let event = source.traceChange(of: object)
        source.traceValues(event, of: object, elements, values)
        var calls: [DeliveryCall] = []
        func add(_ registrations: RegistrationList, of object: AnyObject, _ values: BoxedValues) {
            let change = NotedChange(ConcernedRegistrations(upTo: .max), elements, values, event: event)
            calls.add(registrations, of: object, at: recipients.keyPath, change, keeping: nil)
        }
        add(recipients.direct, of: object, source.boxed(values))
        for member in recipients.watches {
            guard let leaf = member.leaf, let root = member.subject.root else { continue }
            add(member.registrations, of: root, leaf.making.boxed(values, member.subject.valueType))
        }
        Delivery.run(calls.sortedByRegistration)
        EngineTrace.current?.end(event)
    }
}
