// Observing what an expression reads.

extension KeyValueObservable {
    /// Calls a handler at every change of what an expression reads, for as long as the returned observation lives.
    ///
    /// ```swift
    /// let observation = person.observe(reading: { "\($0.name), \($0.age)" }, options: .new) { _, change in
    ///     print(change.newValue!)
    /// }
    /// ```
    ///
    /// The expression is to this call what a getter is to an observer of a computed property: which properties it reads,
    /// of this object and of others, is found by evaluating it, now and where one of them changes. Each change of one of
    /// them is one delivery, whether or not the value differs (see ``KeyValueObservingOptions/distinct``); a transaction
    /// is one, too. What the expression sets is a change of its own.
    ///
    /// The changes carry the key path `\.self`, and no key path finds the registration. ``observationInfo`` lists it by
    /// the place where it is made.
    ///
    /// Order, threads and lifetime are those of
    /// ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``. An expression that reads nothing
    /// observable traps.
    ///
    /// - Complexity: That of evaluating the expression.
    public func observe<Value>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let subject = ObservedSubject.reading(expression, fileID, line)
        return register(
            subject, TypedRegistration(changeHandler),
            RegistrationRequest(
                options, text: subject.text, isolation: changeHandler.isolation, fileID, line,
                notifier: { TypedRegistration<Self, Value>.notify($0) }))
    }

    /// Records a registration of a key path or an expression and, if it asked for that, calls it with the initial value.
    func register<Value>(
        _ subject: ObservedSubject<Self, Value>, _ registration: Registration, _ request: borrowing RegistrationRequest
    ) -> KeyValueObservation {
        let (observation, begin) = record(subject, registration, request)
        if request.options.contains(.initial) { begin() }
        return observation
    }

    /// Records a registration of a key path or an expression.
    ///
    /// - Returns: The token, and what calls the registration with the initial value.
    func record<Value>(
        _ subject: ObservedSubject<Self, Value>, _ registration: Registration, _ request: borrowing RegistrationRequest
    ) -> (observation: KeyValueObservation, begin: () -> Void) {
        let recorded = subject.record(registration, request, of: self)
        let options = request.options
        return (
            KeyValueObservation(registration.number, in: recorded.keeper),
            { self.notifyInitial(registration, options, recorded, reading: subject.reader) }
        )
    }
}
