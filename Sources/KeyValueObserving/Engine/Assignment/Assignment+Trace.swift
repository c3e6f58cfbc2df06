// The simple way, where somebody traces.

extension Assignment {
    /// Calls recipients that were borrowed, reports that if it is to be reported, and gives them back.
    @inline(never)
    static func deliverTraced(
        to borrowed: Borrowed, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        guard EngineTrace.isReporting else { return call(borrowed, of: object, elements, values) }
        let event = borrowed.record.with { record in
            let event = record.traceChange(of: object)
            record.traceValues(event, elements, values)
            return event
        }
        TracedDelivery.run(
            event, to: borrowed.recipients, of: Unretained(object), elements: elements.map(Unretained.init), values)
        EngineTrace.current?.end(event)
        borrowed.giveBack()
    }
}
