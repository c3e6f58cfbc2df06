// A delivery whose calls are reported to a tracer.

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
            case .before(let root):
                add(member.registrations, of: root, noted(nil, upTo: report.newest, (report.old, nil, nil)))
            case .value(let new, let root):
                add(member.registrations, of: root, noted(nil, upTo: report.newest, (report.old, new, nil)))
            }
        }
        return calls.sorted { $0.registration.number < $1.registration.number }
    }
}
