// Where a registration belongs that names no key path: a path of its own.

extension RegistrationTarget {
    /// Records a registration of what an expression reads.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - request: What was asked for.
    ///   - object: The object.
    ///   - type: The type of its values.
    ///   - read: Evaluates the expression.
    /// - Returns: What keeps it: a path that no key path finds.
    static func record<Object: KeyValueObservable>(
        _ registration: Registration, _ request: borrowing RegistrationRequest, ofExpressionIn object: Object,
        of type: Any.Type, reading read: @escaping (Object) -> BoxedValue
    ) -> any RegistrationKeeper {
        let table = table(of: object)
        table.noteOwner(object)
        let keyPath = \Object.self
        let core = TypedPathCore<Object, Object>(
            root: object, KeyPathName(keyPath), text: request.text, declared: [], parts: [], resultType: type,
            reading: read)
        let path = EvaluatedPath(core, in: table, isNamed: false)
        table.add(path)
        // What the expression sets now comes before the registration.
        _ = path.evaluate(core, from: object)
        if !path.hasDependencies {
            fatalError(
                """
                \(request.text ?? "the expression") cannot be observed: it reads no @Observed property of the \
                \(TypeName.of(object)) or of another object, so no change of it can be seen. \(advice(for: object))
                """, file: request.fileID, line: request.line)
        }
        _ = path.add(registration, request, at: keyPath)
        return path
    }
}
