// Observing old and new values through a controller.

extension KVOController {
    /// Calls an action with the observer when the value of a key path of an object becomes a different one.
    ///
    /// ```swift
    /// kvo.onChange(person, \.age) { screen, old, new in screen.log("\(old) → \(new)") }
    /// ```
    ///
    /// The values are those of ``KeyValueObservable/onChange(of:initial:fileID:line:_:)``. Everything else is as for
    /// ``observe(_:_:options:fileID:line:changeHandler:)``.
    public func onChange<Object: KeyValueObservable, Value: Equatable>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @isolated(any) (Observer, _ oldValue: Value, _ newValue: Value) -> Void
    ) {
        let (isolation, call) = (action.isolation, ActionHandler(action).call)
        onChange(object, .keyPath(keyPath), initial, isolation: isolation, fileID, line, call)
    }

    /// Calls an action with the observer when the value of an expression becomes a different one.
    public func onChange<Object: KeyValueObservable, Value: Equatable>(
        _ object: Object?, reading expression: @escaping (Object) -> Value, initial: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @isolated(any) (Observer, _ oldValue: Value, _ newValue: Value) -> Void
    ) {
        let (isolation, call) = (action.isolation, ActionHandler(action).call)
        onChange(object, .reading(expression, fileID, line), initial, isolation: isolation, fileID, line, call)
    }

    private func onChange<Object: KeyValueObservable, Value: Equatable>(
        _ object: Object?, _ subject: ObservedSubject<Object, Value>, _ initial: Bool, isolation: (any Actor)?,
        _ fileID: StaticString, _ line: UInt, _ action: @escaping (Observer, Value, Value) -> Void
    ) {
        guard let object, let observer else { return }
        let registration = ValueRegistration<Value> { [weak self] old, new in
            self?.withObserver { action($0, old, new) }
        }
        let request = ValueRegistration<Value>.request(
            .ofValues(initial), text: subject.text, observer: TypeName.of(observer), isolation: isolation, fileID, line)
        registrations.register(registration, request, of: subject, in: object, for: observer)
    }
}
