// Reports about sources and watches to a tracer.

extension Source {
    /// Reports that a change of the property begins.
    func traceChange(of object: AnyObject) -> EngineTrace.EventNumber {
        EngineTrace.current?.begin(.change, of: object, traceName, cause: EngineTrace.cause) ?? .unreported
    }

    /// The name of the property.
    private var traceName: EngineTrace.Name {
        // The description of a stored property stays as long as the process does.
        EngineTrace.Name(isManual ? nil : ObjectIdentifier(description)) { [description] in
            PropertyNames.text(of: description.keyPath)
        }
    }

    /// Reports the values of a change, as far as observers requested them, even if the tracer left the change out.
    func traceValues(
        _ event: EngineTrace.EventNumber, of object: AnyObject, _ edit: Edit?, _ values: ChangeValues
    ) {
        if event == .leftOut { return traceLeftOut(of: object, edit, values) }
        guard event.isReported else { return }
        EngineTrace.current?.noteValues(of: event, edit.map { "\($0.kind)\($0.positionsText)" }) {
            func open<Value>(_ type: Value.Type) -> EngineTrace.Values {
                let new = values.new(as: type).map { $0 as Any }
                let whole = edit == nil ? new : values.whole(as: type).map { $0 as Any }
                return EngineTrace.Values(old: values.old(as: type).map { $0 as Any }, new: new, current: whole)
            }
            return _openExistential(description.valueType, do: open)
        }
    }

    /// Reports the value after a change that was left out.
    private func traceLeftOut(of object: AnyObject, _ edit: Edit?, _ values: ChangeValues) {
        EngineTrace.current?.noteLeftOut(
            .change, of: object, at: EngineTrace.Place(isManual ? self : description, description.keyPath)
        ) {
            PropertyNames.text(of: description.keyPath)
        } _: {
            func open<Value>(_ type: Value.Type) -> Any? {
                (edit == nil ? values.new(as: type) : values.whole(as: type)).map { $0 as Any }
            }
            return _openExistential(description.valueType, do: open)
        }
    }
}

extension Watch {
    /// Reports that an evaluation begins, which is under way from here on; `traceEnd` must follow on the same thread.
    @inline(never)
    func traceBegin(_ subject: WatchSubject, of root: AnyObject) -> EngineTrace.Span {
        let name = EngineTrace.Name { self.traceName(subject) }
        return EngineTrace.Span { $0.begin(.evaluation, of: root, name, cause: EngineTrace.cause) }
    }

    /// The name of the key path or expression, the same for the first evaluation, before the first registration.
    private func traceName(_ subject: WatchSubject) -> String {
        let origin = registrations.last?.site ?? ChangeKeyPath(keyPath: subject.name.keyPath)
        return subject.text ?? origin.name(at: "\(subject.site.fileID):\(subject.site.line)")
    }

    /// Reports the end and the result of an evaluation, even if it was left out.
    @inline(never)
    func traceEnd(_ span: EngineTrace.Span, of root: AnyObject, _ subject: WatchSubject, _ value: BoxedValue) {
        func result() -> Any? {
            func open<Value>(_ type: Value.Type) -> Any? { value.value(as: type).map { $0 as Any } }
            return _openExistential(subject.valueType, do: open)
        }
        guard span.event.isReported else {
            EngineTrace.current?.noteLeftOut(
                .evaluation, of: root, at: EngineTrace.Place(self, subject.name.keyPath, line: subject.site.line),
                { traceName(subject) }, result)
            return
        }
        // The names of properties on a path are known once they have been read.
        EngineTrace.current?.noteName(of: span.event) { traceName(subject) }
        EngineTrace.current?.noteValues(of: span.event, nil) {
            let value = result()
            return EngineTrace.Values(new: value, current: value)
        }
        span.end()
    }
}
