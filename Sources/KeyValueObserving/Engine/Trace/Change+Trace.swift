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
        source.traceValues(event, elements, values)
    }

    /// Calls recipients one by one, and reports each call.
    @inline(never)
    func runTraced(
        _ recipients: Recipients, _ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject,
        isPrior: Bool
    ) {
        traceBegin(of: object)
        if !isPrior { source.traceValues(event, elements, values) }
        Delivery.run(
            DeliveryBatch(
                DeliveryBatch.calls(
                    of: recipients, of: object, source, elements, isPrior ? .prior : .change, values, event,
                    ignoring: ignored, upTo: newestNumber
                ) { reports.report($0, of: recipients, isPrior: isPrior, ofElements: elements != nil) }))
    }
}

extension Assignment {
    /// Calls recipients that were borrowed one by one, and reports each call.
    @inline(never)
    static func deliverTraced(
        to borrowed: Borrowed, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        let source = borrowed.source.object
        let event = source.traceChange(of: object)
        source.traceValues(event, elements, values)
        let recipients = borrowed.recipients.object
        Delivery.run(
            DeliveryBatch(
                DeliveryBatch.calls(of: recipients, of: object, source, elements, .change, values, event) { index in
                    let member = recipients.watches[index]
                    guard let leaf = member.leaf, let root = member.subject.root else { return nil }
                    return WatchReport(content: .made(leaf.making, root), newest: .max)
                }))
        EngineTrace.current?.end(event)
    }
}

extension DeliveryBatch {
    /// A change as one call for each registration, with copies of the values.
    static func calls(
        of recipients: Recipients, of object: AnyObject, _ source: Source, _ elements: ElementsChange?,
        _ phase: ChangePhase, _ values: ChangeValues, _ event: EngineTrace.EventNumber,
        ignoring ignored: Unretained<IgnoredRegistrations>? = IgnoredRegistrations.innermost,
        upTo newest: RegistrationNumber = .max, _ report: (Int) -> WatchReport?
    ) -> [Call] {
        var calls: [Call] = []
        func add(_ registrations: RegistrationList, of object: AnyObject, _ change: NotedChange) {
            for registration in registrations.all
            where registration.takesPart(inPrior: phase == .prior, ignored, upTo: change.newestNumber) {
                calls.append(
                    Call(
                        registration: registration, object: object, keyPath: recipients.keyPath, change: change, phase))
            }
        }
        func noted(
            _ elements: ElementsChange?, upTo newest: RegistrationNumber,
            _ boxes: (old: BoxedValue?, new: BoxedValue?, whole: BoxedValue?)
        ) -> NotedChange {
            NotedChange(
                upTo: newest, elements, old: boxes.old, new: boxes.new, whole: boxes.whole, event: event)
        }
        let boxes = source.description?.boxed(values) ?? (old: nil, new: nil, whole: nil)
        add(recipients.direct, of: object, noted(elements, upTo: newest, boxes))
        for (index, member) in recipients.watches.enumerated() {
            guard let report = report(index) else { continue }
            switch report.content {
            case .none: break
            case .made(let making, let root):
                var boxes = making.boxed(values, member.subject.valueType)
                boxes.old = report.old ?? boxes.old
                add(member.registrations, of: root, noted(elements, upTo: report.newest, boxes))
            case .value(let new, let root):
                add(member.registrations, of: root, noted(nil, upTo: report.newest, (report.old, new, nil)))
            }
        }
        return calls.sorted { $0.registration.number < $1.registration.number }
    }
}
