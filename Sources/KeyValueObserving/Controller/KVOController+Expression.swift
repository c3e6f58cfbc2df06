// Observing what an expression reads through a controller.

extension KVOController {
    /// Calls a handler with the observer at every change of what an expression reads.
    ///
    /// ```swift
    /// kvo.observe(person, reading: { "\($0.name), \($0.age)" }, options: .new) { screen, _, change in
    ///     screen.log(change.newValue!)
    /// }
    /// ```
    ///
    /// What the expression reads is found as for
    /// ``KeyValueObservable/observe(reading:options:fileID:line:changeHandler:)``. The registration ends with this
    /// controller, the observer or the object, or with the forms of `unobserve` that name no key path. The same call
    /// again, from the same line, is a duplicate: ``DuplicatePolicy`` decides. Expressions at different lines are never
    /// duplicates of each other.
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, reading expression: @escaping (Object) -> Value,
        options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let object, let observer else { return }
        let subject = ObservedSubject.reading(expression, fileID, line)
        let request = RegistrationRequest(
            options, text: subject.text, observer: TypeName.of(observer), isolation: changeHandler.isolation, fileID,
            line, notifier: { TypedRegistration<Object, Value>.notify($0) })
        registrations.register(
            registration(ActionHandler(changeHandler).call), request, of: subject, in: object,
            retaining: object === observer ? nil : object)
    }
}
