// The simple way, where somebody traces.

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
