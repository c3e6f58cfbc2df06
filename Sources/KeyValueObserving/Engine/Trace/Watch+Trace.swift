// What is reported to a tracer of an evaluation.

extension Watch {
    /// Reports that an evaluation begins, which is under way from here on; `traceEnd` must follow on the same thread.
    @inline(never)
    func traceBegin(_ subject: WatchSubject, of root: AnyObject) -> EngineTrace.Span {
        let name = EngineTrace.Name { self.traceName(subject) }
        return EngineTrace.Span { $0.begin(.evaluation, of: root, name, cause: EngineTrace.cause) }
    }

    /// What is evaluated; the first evaluation comes before the first registration.
    private func traceName(_ subject: WatchSubject) -> String {
        subject.text ?? registrations.last?.site.name ?? PropertyNames.text(of: subject.name.keyPath)
    }

    /// Reports the end and the result of an evaluation.
    @inline(never)
    func traceEnd(_ span: EngineTrace.Span, _ subject: WatchSubject, _ value: BoxedValue) {
        // The names of properties on a path are known once they have been read.
        EngineTrace.current?.noteName(of: span.event) { traceName(subject) }
        EngineTrace.current?.noteValues(of: span.event, nil) {
            func open<Value>(_ type: Value.Type) -> Any? { value.value(as: type).map { $0 as Any } }
            let value = _openExistential(subject.valueType, do: open)
            return EngineTrace.Values(new: value, current: value)
        }
        span.end()
    }
}
