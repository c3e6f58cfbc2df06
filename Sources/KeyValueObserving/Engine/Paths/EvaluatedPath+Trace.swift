// What is reported to a tracer of an evaluation.

extension EvaluatedPath {
    /// Reports that an evaluation begins, which is under way from here on; `traceEnd` must follow on the same thread.
    ///
    /// - Returns: Its event.
    @inline(never)
    func traceBegin(_ core: PathCore, of root: AnyObject) -> EngineTrace.Span {
        let name = EngineTrace.Name { [registrations] in
            // An expression is evaluated before it has a registration.
            core.text ?? registrations.last?.site.name ?? PropertyNames.text(of: core.name.keyPath)
        }
        return EngineTrace.Span { $0.begin(.evaluation, of: root, name, cause: EngineTrace.cause) }
    }

    /// Reports the end and the result of an evaluation.
    @inline(never)
    func traceEnd(_ span: EngineTrace.Span, _ core: PathCore, _ value: BoxedValue) {
        EngineTrace.current?.noteValues(of: span.event, nil) { (nil, core.any(value)) }
        span.end()
    }
}

extension PathCore {
    /// A value of the path.
    fileprivate func any(_ value: BoxedValue) -> Any? {
        func open<Value>(_ type: Value.Type) -> Any? { value.value(as: type).map { $0 as Any } }
        return _openExistential(resultType, do: open)
    }
}
