// What is reported to a tracer of a pending change.

extension PendingChange {
    /// Whether its event has begun, or may begin.
    @inline(__always)
    final var isReporting: Bool { _slowPath(EngineTrace.isOn) && (event.isReported || EngineTrace.isReporting) }

    /// Begins its event, unless that has begun.
    func traceBegin(of object: AnyObject?) {
        if !event.isReported, let object { event = record.traceChange(of: object) }
    }

    /// Evaluates a path, because of this change.
    @inline(__always)
    final func evaluate(_ path: ObservedPath, _ core: PathCore, from root: AnyObject) -> BoxedValue {
        isReporting ? evaluateTraced(path, core, from: root) : path.evaluate(core, from: root)
    }

    @inline(never)
    private final func evaluateTraced(_ path: ObservedPath, _ core: PathCore, from root: AnyObject) -> BoxedValue {
        traceBegin(of: record.table.object)
        return EngineTrace.inside(event) { path.evaluate(core, from: root) }
    }

    /// Calls the recipients, and reports that.
    @inline(never)
    final func deliverTraced(
        to recipients: Recipients, of object: AnyObject, _ elements: ElementsChange?, isPrior: Bool,
        _ values: ChangeValues
    ) {
        traceBegin(of: object)
        if !isPrior { traceValues(elements, values) }
        TracedDelivery.run(
            event, to: Unretained(recipients), of: Unretained(object), Unretained(self),
            elements: elements.map(Unretained.init), isPrior: isPrior, newestNumber: newestNumber, values)
        if !isPrior { EngineTrace.current?.end(event) }
        withExtendedLifetime((recipients, object, elements)) {}
    }

    /// Reports that it was made in a transaction, which delivers it at its end.
    @inline(never)
    final func traceNoted(of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues) {
        traceBegin(of: object)
        traceValues(elements, values)
        EngineTrace.current?.end(event)
    }

    /// Reports the values; that of a property that is announced may be known to its path alone.
    private final func traceValues(_ elements: ElementsChange?, _ values: ChangeValues) {
        let announced = elements == nil ? paths.first { $0.isAnnounced }?.newValue : nil
        record.traceValues(event, elements, announced.map { values.with(new: $0) } ?? values)
        withExtendedLifetime(announced) {}
    }
}
