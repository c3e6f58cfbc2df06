// Observing old and new values.

extension KeyValueObservable {
    /// Calls an action when the value of a key path becomes a different one, for as long as the observation lives.
    ///
    /// ```swift
    /// let observation = person.onChange(of: \.age) { old, new in print("\(old) → \(new)") }
    /// person.age = 18     // prints "0 → 18"
    /// person.age = 18     // prints nothing
    /// ```
    ///
    /// With `initial`, the action is also called now, with the value twice. It gets whole values even if only some
    /// elements of a collection change. For this, the registration keeps the collection that was passed last, so the
    /// next change in place copies its storage. To get equal values, kinds of changes, indexes, or a call before the
    /// change, use ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``. The rules for key
    /// paths, order, threads, lifetime and traps are the same.
    public func onChange<Value: Equatable>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @isolated(any) (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        onChange(of: .keyPath(keyPath), initial, isolation: action.isolation, fileID, line, ActionHandler(action).call)
    }

    /// Calls an action when the value of an expression becomes a different one.
    ///
    /// ```swift
    /// let observation = person.onChange(reading: { $0.tags.count }) { old, new in print("\(new) tags, \(old) before") }
    /// person.tags = ["new"]       // prints "1 tags, 0 before"
    /// ```
    ///
    /// See ``observe(reading:options:fileID:line:changeHandler:)`` for the rules of expressions.
    public func onChange<Value: Equatable>(
        reading expression: @escaping (Self) -> Value, initial: Bool = false, fileID: StaticString = #fileID,
        line: UInt = #line, _ action: @escaping @isolated(any) (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        let (isolation, call) = (action.isolation, ActionHandler(action).call)
        return onChange(of: .reading(expression, fileID, line), initial, isolation: isolation, fileID, line, call)
    }

    private func onChange<Value: Equatable>(
        of subject: ObservedSubject<Self, Value>, _ initial: Bool, isolation: (any Actor)?, _ fileID: StaticString,
        _ line: UInt, _ action: @escaping (Value, Value) -> Void
    ) -> KeyValueObservation {
        register(
            subject, ValueRegistration(action),
            ValueRegistration<Value>.request(
                .ofValues(initial), text: subject.text, isolation: isolation, fileID, line))
    }
}

extension ValueRegistration {
    /// Creates a registration that calls an action with the old and the new value, if these differ.
    convenience init(_ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void) {
        self.init { change, phase in
            guard let new = change.newValue else { return }
            if let old = phase == .initial ? new : change.oldValue ?? Self.absent { action(old, new) }
        }
    }

    /// The old value in place of a dead object: nil, for an optional value.
    private static var absent: Value? {
        func open<Wrapped: OptionalValue>(_: Wrapped.Type) -> Value? { Wrapped(wrapping: nil) as? Value }
        return (Value.self as? any OptionalValue.Type).flatMap { open($0) }
    }
}

extension KeyValueObservingOptions {
    /// The options of an action that is called with the old and the new value, if these differ.
    static func ofValues(_ isInitial: Bool) -> Self { [.old, .new, .distinct, isInitial ? .initial : []] }
}
