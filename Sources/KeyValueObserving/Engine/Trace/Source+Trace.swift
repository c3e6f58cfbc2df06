// What is reported to a tracer of changes of a property.

extension Source {
    /// Reports that a change of the property begins.
    func traceChange(of object: AnyObject) -> EngineTrace.EventNumber {
        EngineTrace.current?.begin(.change, of: object, traceName, cause: EngineTrace.cause) ?? .unreported
    }

    /// What the property is called.
    private var traceName: EngineTrace.Name {
        guard let description else {
            return EngineTrace.Name { [direct] in direct.last?.site.name ?? "a property" }
        }
        // The description of a stored property stays as long as the process does.
        return EngineTrace.Name(isManual ? nil : ObjectIdentifier(description)) {
            PropertyNames.text(of: description.keyPath)
        }
    }

    /// Reports the values of a change of the property.
    func traceValues(_ event: EngineTrace.EventNumber, _ elements: ElementsChange?, _ values: ChangeValues) {
        let type = keyPath.map { Swift.type(of: $0).valueType }
        EngineTrace.current?.noteValues(of: event, elements?.text) { type.map { values.any(of: $0) } ?? (nil, nil) }
    }
}

extension ChangeValues {
    /// The values, which are of a type.
    fileprivate func any(of type: Any.Type) -> (old: Any?, new: Any?) {
        func open<Value>(_ type: Value.Type) -> (old: Any?, new: Any?) {
            (old(as: type).map { $0 as Any }, new(as: type).map { $0 as Any })
        }
        return _openExistential(type, do: open)
    }
}

extension ElementsChange {
    /// What happens to which elements, such as `insertion at 2`.
    fileprivate var text: String {
        "\(kind)" + (positions.map { " at \($0.indexes.ranges.map { "\($0)" }.joined(separator: ", "))" } ?? "")
    }
}
