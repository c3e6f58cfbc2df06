// What a tracer is told of an evaluation.

extension EvaluatedPath {
    /// Runs an evaluation, and reports it if somebody traces.
    @inline(__always)
    func tracing(_ core: PathCore, of root: AnyObject, _ evaluate: () -> BoxedValue) -> BoxedValue {
        _slowPath(EngineTrace.isOn) ? traced(core, of: root, evaluate) : evaluate()
    }

    @inline(never)
    private func traced(_ core: PathCore, of root: AnyObject, _ evaluate: () -> BoxedValue) -> BoxedValue {
        guard let tracer = EngineTrace.current else { return evaluate() }
        let name = EngineTrace.Name { [registrations] in
            registrations.last?.site.name ?? PropertyNames.text(of: core.name.keyPath)
        }
        // The name of a property is known after it has been read.
        let event = tracer.begin(.evaluation, of: root, name, cause: EngineTrace.cause)
        let value = EngineTrace.inside(event, evaluate)
        tracer.noteValues(of: event, nil) { (nil, core.any(value)) }
        tracer.end(event)
        return value
    }
}

extension PathCore {
    /// A value of the path.
    fileprivate func any(_ value: BoxedValue) -> Any? {
        func open<Value>(_ type: Value.Type) -> Any? { value.value(as: type).map { $0 as Any } }
        return _openExistential(resultType, do: open)
    }
}
