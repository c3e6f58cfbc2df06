// Observing through a controller: one handler for a key path, or for several.

extension KVOController {
    /// Calls a handler with the observer at every change of a key path of an object.
    ///
    /// What may be observed, order, threads and traps are as for
    /// ``KeyValueObservable/observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``. The
    /// registration ends with this controller, the observer or the object, or with `unobserve`. If the object is
    /// observed at the same key path already, ``DuplicatePolicy`` decides. Use the `action:` forms to have a method of
    /// the observer called instead.
    @inlinable @inline(__always)
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let object else { return }
        register(
            object, keyPath, options, isolation: changeHandler.isolation, fileID, line,
            ActionHandler(changeHandler).call)
    }

    /// Calls one handler at every change of any of several key paths of an object.
    ///
    /// ```swift
    /// kvo.observe(person, keyPaths: [\.age, \.name]) { screen, person, change in
    ///     screen.log(change.name)
    /// }
    /// ```
    ///
    /// Each key path is a registration of its own, made in the order given, and each change is delivered by itself;
    /// `change.keyPath` says which it was. All key paths are checked before the first is registered. One that is given
    /// twice counts once.
    ///
    /// - Precondition: The list is not empty.
    public func observe<Object: KeyValueObservable>(
        _ object: Object?, keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) {
        guard let object else { return }
        register(
            object, keyPaths, options, isolation: changeHandler.isolation, fileID, line,
            ActionHandler(changeHandler).call)
    }

    /// Makes a registration for each key path of a list.
    package func register<Object: KeyValueObservable>(
        _ object: Object, _ keyPaths: [PartialKeyPath<Object>], _ options: KeyValueObservingOptions,
        isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) {
        object.check(keyPaths, for: options, fileID, line)
        var targets: Set<ObjectIdentifier> = []
        let runner = RunnerNumber.next()
        for keyPath in keyPaths where object.isNew(keyPath, among: targets) {
            func observe<Value>(_: Value.Type) {
                guard let typed = keyPath as? KeyPath<Object, Value> else { return }
                register(object, typed, options, isolation: isolation, fileID, line, runner: runner) {
                    handler($0, $1, $2.erased)
                }
            }
            _openExistential(type(of: keyPath).valueType, do: observe)
            if let target = object.target(of: keyPath) { targets.insert(target) }
        }
    }

    /// Makes one registration.
    ///
    /// The handler that the object owns holds this controller weakly, so neither keeps the other alive.
    @inlinable
    package func register<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions,
        isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        text: String? = nil, parts: [AnyKeyPath]? = nil, runner: RunnerNumber = .none,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let observer else { return }
        let request = RegistrationRequest(
            options, text: text, observer: TypeName.of(observer), isolation: isolation, fileID, line,
            runner: runner, notifier: { TypedRegistration<Object, Value>.notify($0) })
        // Retaining oneself would be a cycle through the controller that one owns.
        let retained = object === observer ? nil : object
        registrations.register(
            registration(handler), request, at: keyPath, of: object, retaining: retained, parts: parts)
    }

    /// Calls a handler with the observer; ends all registrations if that has died.
    func withObserver(_ handler: (Observer) -> Void) {
        guard let observer else { return unobserveAll() }
        handler(observer)
        withExtendedLifetime(self) {}
    }

    /// A registration that calls a handler with the observer, and neither retains that nor this controller.
    @inlinable
    func registration<Object: KeyValueObservable, Value>(
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) -> TypedRegistration<Object, Value> {
        TypedRegistration<Object, Value> { [weak self] object, change in
            guard let self else { return }
            guard let observer = self.observer else { return unobserveAll() }
            handler(observer, object, change)
            withExtendedLifetime(self) {}
        }
    }
}
