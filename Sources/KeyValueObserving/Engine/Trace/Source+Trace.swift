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

    /// Reports the values of a change of the property, which has been stored.
    func traceValues(
        _ event: EngineTrace.EventNumber, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        EngineTrace.current?.noteValues(of: event, elements?.text) {
            keyPath.map { values.traced(at: $0, of: object, isOfElements: elements != nil) } ?? EngineTrace.Values()
        }
    }
}

extension ChangeValues {
    /// The values of a property; what no observer asked for is read.
    fileprivate func traced(at keyPath: AnyKeyPath, of object: AnyObject, isOfElements: Bool) -> EngineTrace.Values {
        func read<Root>(_ root: Root) -> Any? { root[keyPath: keyPath] }
        func open<Value>(_ type: Value.Type) -> EngineTrace.Values {
            let new = new(as: type).map { $0 as Any }
            let whole = whole(as: type).map { $0 as Any } ?? (isOfElements ? nil : new) ?? read(object)
            return EngineTrace.Values(
                old: old(as: type).map { $0 as Any }, new: isOfElements ? new : whole, current: whole)
        }
        return _openExistential(Swift.type(of: keyPath).valueType, do: open)
    }
}

extension ElementsChange {
    /// What happens to which elements, such as `insertion at 2`.
    fileprivate var text: String {
        "\(kind)" + (positions.map { " at \($0.indexes.ranges.map { "\($0)" }.joined(separator: ", "))" } ?? "")
    }
}
