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
