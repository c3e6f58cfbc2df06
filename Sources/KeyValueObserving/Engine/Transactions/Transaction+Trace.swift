// What is reported to a tracer of a transaction.

extension Transaction {
    /// Runs `body` in a transaction, and reports that.
    @inline(never)
    static func runTraced<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try EngineTrace.during { tracer in
            tracer.begin(.transaction, of: nil, nil, cause: EngineTrace.cause)
        } _: { () throws(Failure) -> Result in
            try runOutermost(body)
        }
    }
}

extension TransactionChange {
    /// Reports a change of the property, and remembers the first one, which what is delivered comes from.
    @inline(never)
    func traceNote(
        _ made: PendingChange, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        made.traceNoted(of: object, elements, values)
        if !event.isReported { event = made.event }
    }

    /// Notes what is delivered because of it.
    func traceCalls(_ calls: inout ArraySlice<DeliveryBatch.Call>) {
        for index in calls.indices { calls[index].event = event }
    }
}
