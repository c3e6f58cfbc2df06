// Registering a handler.

extension KeyValueObservable {
    /// Calls a handler at every change of a key path, for as long as the returned observation lives.
    ///
    /// ```swift
    /// let observation = person.observe(\.age, options: [.old, .new]) { person, change in
    ///     print("\(change.oldValue!) → \(change.newValue!)")
    /// }
    /// ```
    ///
    /// The key path may name an observed property, a part of one (`\.frame.width`), a path through other observable
    /// objects and optionals (`\.address?.city`), or a computed property that reads observed ones. What it depends on
    /// is found by reading it, now and after each change.
    ///
    /// ### Order and threads
    ///
    /// The handler is called on the thread that makes a change and before the change returns. Handlers are called in the
    /// order in which they were registered. A handler may change anything. Before it changes a property again, the other
    /// observers of that property are called with the change before. A handler is not called while it is running: if it
    /// changes what it observes, it is called for that when it has returned.
    ///
    /// Registering and removing are safe from any thread; since registering reads the key path, it needs the same
    /// protection as a read.
    ///
    /// ### Lifetime
    ///
    /// The observation retains the handler, and neither this object nor the observer. It ends when it is released or
    /// invalidated, or when this object dies. With `.initial` the handler is called before this method returns; the
    /// registration exists by then and may be ended from inside.
    ///
    /// ### Traps
    ///
    /// A key path that reads nothing observable is a programmer error and traps. A class can declare such a key path: in
    /// ``automaticallyNotifiesObservers(for:)`` or ``keyPathsAffectingValue(for:)``.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe, from this object.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - fileID: Where the registration is made, for ``observationInfo``.
    ///   - line: Where the registration is made, for ``observationInfo``.
    ///   - changeHandler: Called with this object and the change.
    /// - Returns: The registration. Keep it: releasing it ends it.
    /// - Complexity: Independent of the number of registrations already there.
    @inlinable @inline(__always)
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID,
        line: UInt = #line, changeHandler: @escaping @isolated(any) (Self, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        register(
            keyPath, TypedRegistration(changeHandler),
            RegistrationRequest(
                options, isolation: changeHandler.isolation, fileID, line,
                notifier: { TypedRegistration<Self, Value>.notify($0) }),
            reading: { BoxedValue.holding(unsafe unsafeDowncast($0, to: Self.self)[keyPath: keyPath], in: $1) })
    }

    /// Registers a handler at the key path that a string stands for, put together from parts.
    package func register<Value>(
        _ keyPath: KeyPath<Self, Value>, _ options: KeyValueObservingOptions, isolation: (any Actor)?,
        _ fileID: StaticString, _ line: UInt, text: String, parts: [AnyKeyPath],
        _ handler: @escaping (Self, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        register(
            keyPath, TypedRegistration<Self, Value> { handler($0, $1.erased) },
            RegistrationRequest(
                options, text: text, isolation: isolation, fileID, line,
                notifier: { TypedRegistration<Self, Value>.notify($0) }),
            parts: parts,
            reading: { BoxedValue.holding(unsafe unsafeDowncast($0, to: Self.self)[keyPath: keyPath], in: $1) })
    }

    /// Records a registration on this object and, if it asked for that, calls it with the initial value.
    @usableFromInline
    func register<Value>(
        _ keyPath: KeyPath<Self, Value>, _ registration: Registration, _ request: borrowing RegistrationRequest,
        parts: [AnyKeyPath]? = nil, reading read: @escaping WatchReader
    ) -> KeyValueObservation {
        let recorded = Registering.record(
            registration, request, at: keyPath, of: self, parts: parts, reading: read)
        let observation = KeyValueObservation(registration.number, in: recorded.keeper)
        if request.options.contains(.initial) {
            notifyInitial(registration, request.options, recorded, reading: read)
        }
        return observation
    }

    /// Calls a registration with the value as it is now, unless that was read when it was recorded.
    func notifyInitial(
        _ registration: Registration, _ options: KeyValueObservingOptions, _ recorded: Registering.Recorded,
        reading read: WatchReader
    ) {
        Tracking.suspended {
            let value = options.contains(.new) ? recorded.initial?.value ?? read(self, nil) : nil
            let call = WaitingCall(registration, self, KeptValues(new: value), .initial)
            if _slowPath(EngineTrace.isOn) {
                registration.traceCall(of: self, prior: false, cause: .unreported, call.make)
            } else {
                call.make()
            }
            recorded.initial?.end(of: registration, on: self)
        }
    }
}

extension KeyValueObservedChange {
    /// The change without the values that were not asked for.
    @inlinable
    func limited(to options: KeyValueObservingOptions) -> Self {
        Self(
            kind: kind, newValue: options.contains(.new) ? newValue : nil,
            oldValue: options.contains(.old) ? oldValue : nil, edit: edit, isPrior: isPrior, origin: origin)
    }
}
