// Registering a handler for a key path or an expression.

extension KeyValueObservable {
    /// Calls a handler at every change of a key path, for as long as the returned observation lives.
    ///
    /// ```swift
    /// let observation = person.observe(\.age, options: [.old, .new]) { person, change in
    ///     print("\(change.requiredOldValue) → \(change.requiredNewValue)")
    /// }
    /// ```
    ///
    /// The key path may name an observed property, a part of one (`\.frame.width`), a path through observable objects
    /// and optionals (`\.address?.city`), or a computed property. The library finds the properties that its getter
    /// reads by calling it, now and after each change.
    ///
    /// ### Order and threads
    ///
    /// Handlers are called on the thread that makes a change, before the change returns, in the order of registration.
    /// A handler may change anything. Before it changes a property again, the other observers of that property are
    /// called with its previous change. A handler that changes the key path it observes is called for that change after
    /// it has returned.
    ///
    /// Registering and removing are safe from any thread, but registering reads the key path: protect it as a read.
    ///
    /// ### Lifetime
    ///
    /// The observation retains the handler, but not this object. It ends when it is released or invalidated, or when
    /// this object dies. With `.initial` the handler is called before this returns, and may end the registration.
    ///
    /// ### Traps
    ///
    /// A key path that reads nothing observable traps, unless the class declares it in
    /// ``automaticallyNotifiesObservers(for:)`` or ``keyPathsAffectingValue(for:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The key path to observe, from this object.
    ///   - options: Options for the deliveries; with none, they only say that something changed.
    ///   - fileID: The file of the registration, for ``observationInfo``.
    ///   - line: The line of the registration, for ``observationInfo``.
    ///   - changeHandler: Called with this object and the change.
    /// - Returns: The registration. Keep it: releasing it ends it.
    /// - Complexity: Independent of the number of registrations already there.
    @inlinable @inline(__always)
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        register(
            keyPath, TypedRegistration(changeHandler),
            RegistrationRequest(
                options, isolation: changeHandler.isolation, fileID, line,
                notifier: { TypedRegistration<Self, Value>.notify($0) }),
            reading: { BoxedValue.holding(unsafe unsafeDowncast($0, to: Self.self)[keyPath: keyPath], in: $1) })
    }

    /// Calls a handler at every change of the properties that an expression reads, for as long as the returned
    /// observation lives.
    ///
    /// ```swift
    /// let observation = person.observe(reading: { "\($0.name), \($0.age)" }, options: .new) { _, change in
    ///     print(change.requiredNewValue)
    /// }
    /// ```
    ///
    /// The library finds the properties that the expression reads, of this object and of others, by evaluating it, now
    /// and when one of them changes. Each change of one of them is one delivery, whether or not the value differs (see
    /// ``KeyValueObservingOptions/distinct``); a transaction is one, too. A property that the expression sets has a
    /// change of its own.
    ///
    /// The changes carry the key path `\.self`, and no key path finds the registration. ``observationInfo`` lists it by
    /// the place where it is made. An expression that reads nothing observable traps. Order, threads and lifetime are
    /// those of ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``.
    ///
    /// - Complexity: The cost of evaluating the expression.
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

    /// Registers a handler for the key path of a string, composed of parts.
    package func register<Value>(
        _ keyPath: KeyPath<Self, Value>, _ options: KeyValueObservingOptions, isolation: (any Actor)?,
        _ fileID: StaticString, _ line: UInt, text: String, parts: [AnyKeyPath],
        _ handler: @escaping (Self, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        register(
            .keyPath(keyPath, parts: parts), TypedRegistration<Self, Value> { handler($0, $1.erased) },
            RegistrationRequest(
                options, text: text, isolation: isolation, fileID, line,
                notifier: { TypedRegistration<Self, Value>.notify($0) }))
    }

    /// Records a registration on this object and, if requested, calls it with the initial value.
    @usableFromInline
    func register<Value>(
        _ keyPath: KeyPath<Self, Value>, _ registration: Registration, _ request: borrowing RegistrationRequest,
        reading read: @escaping WatchReader
    ) -> KeyValueObservation {
        let recorded = Registering.record(registration, request, at: keyPath, of: self, parts: nil, reading: read)
        let observation = KeyValueObservation(registration.number, in: recorded.keeper)
        if request.options.contains(.initial) { notifyInitial(registration, request.options, recorded, reading: read) }
        return observation
    }

    /// Registers a key path or an expression.
    func register<Value>(
        _ subject: ObservedSubject<Self, Value>, _ registration: Registration, _ request: borrowing RegistrationRequest
    ) -> KeyValueObservation {
        let (observation, begin) = record(subject, registration, request)
        if request.options.contains(.initial) { begin() }
        return observation
    }

    /// Records a registration of a key path or an expression.
    ///
    /// - Returns: The token, and a function that calls the registration with the initial value.
    func record<Value>(
        _ subject: ObservedSubject<Self, Value>, _ registration: Registration, _ request: borrowing RegistrationRequest
    ) -> (observation: KeyValueObservation, begin: () -> Void) {
        let (recorded, options) = (subject.record(registration, request, of: self), request.options)
        return (
            KeyValueObservation(registration.number, in: recorded.keeper),
            { self.notifyInitial(registration, options, recorded, reading: subject.reader) }
        )
    }

    /// Calls a registration with the value read when it was recorded, or with the current one.
    private func notifyInitial(
        _ registration: Registration, _ options: KeyValueObservingOptions, _ recorded: Registering.Recorded,
        reading read: WatchReader
    ) {
        let first = recorded.first ?? Registering.FirstCall(nil)
        Tracking.suspended { first.make(registration, options, on: self, reading: read) }
    }
}

extension KeyValueObservedChange {
    /// The change without the values that were not requested.
    @inlinable
    func limited(to options: KeyValueObservingOptions) -> Self {
        Self(
            kind: kind, oldValue: options.contains(.old) ? oldValue : nil,
            newValue: options.contains(.new) ? newValue : nil, edit: edit, isPrior: isPrior, origin: origin)
    }
}
