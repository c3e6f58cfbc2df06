// Registering one handler for several key paths.

extension KeyValueObservable {
    /// Calls one handler at every change of any of several key paths, for as long as the returned observation lives.
    ///
    /// ```swift
    /// let observation = person.observe(keyPaths: [\.age, \.name]) { person, change in
    ///     print("\(change)")
    /// }
    /// ```
    ///
    /// Each key path is a registration of its own, made in the order given; ``observationInfo`` has a row for each. Each
    /// change is delivered by itself, with its own ``KeyValueObservedChange/keyPath``; one that concerns several key
    /// paths is delivered once for each, in their order. What the handler changes at any of them is delivered to it when it
    /// has returned. All key paths are checked before the first is registered. One that is given twice counts once.
    ///
    /// Order, threads, lifetime and traps are those of ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``.
    ///
    /// - Precondition: The list is not empty.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        let (isolation, call) = (changeHandler.isolation, Handler(changeHandler).call)
        var observations: [KeyValueObservation] = []
        let runner = RunnerNumber.next()
        check(keyPaths, for: options, fileID, line)
        var targets: Set<ObjectIdentifier> = []
        for keyPath in keyPaths where isNew(keyPath, among: targets) {
            func observe<Value>(_: Value.Type) {
                guard let typed = keyPath as? KeyPath<Self, Value> else { return }
                let observation = register(
                    typed, TypedRegistration<Self, Value> { call($0, $1.erased) },
                    RegistrationRequest(
                        options, isolation: isolation, fileID, line, runner: runner,
                        notifier: { TypedRegistration<Self, Value>.notify($0) }),
                    reading: { BoxedValue.holding(unsafe unsafeDowncast($0, to: Self.self)[keyPath: typed], in: $1) })
                if let target = observation.target { targets.insert(target) }
                observations.append(observation)
            }
            _openExistential(type(of: keyPath).valueType, do: observe)
        }
        return KeyValueObservation(observations)
    }

    /// Traps if a list of key paths is empty, or if one of them cannot be observed.
    func check(
        _ keyPaths: [PartialKeyPath<Self>], for options: KeyValueObservingOptions, _ fileID: StaticString, _ line: UInt
    ) {
        if keyPaths.isEmpty {
            fatalError(
                "\(TypeName.of(self)) cannot be observed at no key path: the list is empty. Pass one key path or more.",
                file: fileID, line: line)
        }
        for keyPath in keyPaths {
            func checkTyped<Value>(_: Value.Type) {
                if let typed = keyPath as? KeyPath<Self, Value> { check(typed, for: options, fileID, line) }
            }
            _openExistential(type(of: keyPath).valueType, do: checkTyped)
        }
    }

    /// Whether a key path of a list stands for something else than those before it.
    func isNew(_ keyPath: PartialKeyPath<Self>, among targets: Set<ObjectIdentifier>) -> Bool {
        target(of: keyPath).map { !targets.contains($0) } ?? true
    }

    /// What registrations at a key path are made on; nil if there is none yet.
    func target(of keyPath: PartialKeyPath<Self>) -> ObjectIdentifier? {
        Registering.identity(ofAny: keyPath, on: self)
    }

    /// Traps if a key path cannot be observed with these options.
    private func check<Value>(
        _ keyPath: KeyPath<Self, Value>, for options: KeyValueObservingOptions, _ fileID: StaticString, _ line: UInt
    ) {
        Registering.check(keyPath, of: self, fileID, line)
        if options.contains(.distinct) {
            _ = Equality<Value>(of: PropertyNames.text(of: keyPath), in: self, fileID, line)
        }
    }
}
