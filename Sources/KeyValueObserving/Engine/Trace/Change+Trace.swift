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
    }

    /// Reports that it was made in a transaction, which delivers it at its end.
    @inline(never)
    func traceNoted(of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues) {
        traceBegin(of: object)
        source.traceValues(event, of: object, elements, values)
    }
}

extension Source {
    /// Reports a change that was made at once.
    @inline(never)
    func traceMade(of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues) -> EngineTrace.EventNumber {
        let event = traceChange(of: object)
        traceValues(event, of: object, elements, values)
        return event
    }
}
