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
    /// Each key path is a registration of its own, made in the order given; one that is given twice counts once. Each
    /// change is delivered by itself, with its own ``KeyValueObservedChange/keyPath``; one that concerns several key
    /// paths is delivered once for each, in their order. Changes of any of them by the handler, or by another thread
    /// meanwhile, are delivered when the handler has returned, so that it never runs twice at once. All key paths are
    /// checked before the first is registered.
    ///
    /// Order, threads, lifetime and traps are those of
    /// ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``.
    ///
    /// - Precondition: The list is not empty.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        let (isolation, call) = (changeHandler.isolation, Handler(changeHandler).call)
        var observations: [KeyValueObservation] = []
        let baton = Baton()
        forEach(of: keyPaths, options, fileID, line) { keyPath in
            func observe<Value>(_: Value.Type) {
                guard let keyPath = keyPath as? KeyPath<Self, Value> else { return }
                let registration = BatonRegistration<Self, Value>(sharing: baton) { call($0, $1.erased) }
                observations.append(
                    register(
                        .keyPath(keyPath), registration,
                        BatonRegistration<Self, Value>.request(options, isolation: isolation, fileID, line)))
            }
            _openExistential(type(of: keyPath).valueType, do: observe)
        }
        return KeyValueObservation(observations)
    }

    /// Calls a function that registers each key path of a list; traps if the list is empty, or a key path cannot be
    /// observed.
    func forEach(
        of keyPaths: [PartialKeyPath<Self>], _ options: KeyValueObservingOptions, _ fileID: StaticString, _ line: UInt,
        _ register: (PartialKeyPath<Self>) -> Void
    ) {
        check(keyPaths, for: options, fileID, line)
        var targets: Set<ObjectIdentifier> = []
        for keyPath in keyPaths {
            if let known = Registering.identity(ofAny: keyPath, on: self), targets.contains(known) { continue }
            register(keyPath)
            if let target = Registering.identity(ofAny: keyPath, on: self) { targets.insert(target) }
        }
    }

    private func check(
        _ keyPaths: [PartialKeyPath<Self>], for options: KeyValueObservingOptions, _ fileID: StaticString, _ line: UInt
    ) {
        if keyPaths.isEmpty {
            fatalError(
                "\(TypeName.of(self)) cannot be observed at no key path: the list is empty. Pass one key path or more.",
                file: fileID, line: line)
        }
        for keyPath in keyPaths {
            func check<Value>(_: Value.Type) {
                guard let keyPath = keyPath as? KeyPath<Self, Value> else { return }
                Registering.check(keyPath, of: self, fileID, line)
                guard options.contains(.distinct) else { return }
                _ = Equality<Value>(of: PropertyNames.text(of: keyPath), in: self, fileID, line)
            }
            _openExistential(type(of: keyPath).valueType, do: check)
        }
    }
}
