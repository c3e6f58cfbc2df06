// Observing key paths and expressions through a controller with a handler.

extension KVOController {
    /// Calls a handler with the observer at every change of a key path of an object.
    ///
    /// The rules for key paths, order, threads and traps are those of
    /// ``KeyValueObservable/observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``. The
    /// registration ends with this controller, the observer or the object, or with `unobserve`. If the object is
    /// observed at the same key path already, ``DuplicatePolicy`` decides.
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
    /// The key paths are registered as by ``KeyValueObservable/observe(keyPaths:options:fileID:line:changeHandler:)``.
    ///
    /// - Precondition: The list is not empty.
    public func observe<Object: KeyValueObservable>(
        _ object: Object?, keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) {
        guard let object else { return }
        let (isolation, call) = (changeHandler.isolation, ActionHandler(changeHandler).call)
        register(object, keyPaths, options, isolation: isolation, fileID, line, call)
    }

    /// Calls a handler with the observer at every change of the properties that an expression reads.
    ///
    /// ```swift
    /// kvo.observe(person, reading: { "\($0.name), \($0.age)" }, options: .new) { screen, _, change in
    ///     screen.log(change.requiredNewValue)
    /// }
    /// ```
    ///
    /// The library finds the properties that the expression reads as in
    /// ``KeyValueObservable/observe(reading:options:fileID:line:changeHandler:)``. The registration ends like any
    /// other, except that no key path finds it. Expressions on different lines are no duplicates.
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, reading expression: @escaping (Object) -> Value,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let object, let observer else { return }
        let subject = ObservedSubject.reading(expression, fileID, line)
        let request = RegistrationRequest(
            options, text: subject.text, observer: TypeName.of(observer), isolation: changeHandler.isolation, fileID,
            line, notifier: { TypedRegistration<Object, Value>.notify($0) })
        registrations.register(
            registration(ActionHandler(changeHandler).call), request, of: subject, in: object, for: observer)
    }

    /// Makes a registration for each key path of a list.
    package func register<Object: KeyValueObservable>(
        _ object: Object, _ keyPaths: [PartialKeyPath<Object>], _ options: KeyValueObservingOptions,
        isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) {
        let baton = Baton()
        object.forEach(of: keyPaths, options, fileID, line) { keyPath in
            func observe<Value>(_: Value.Type) {
                guard let keyPath = keyPath as? KeyPath<Object, Value> else { return }
                register(object, keyPath, options, isolation: isolation, fileID, line, sharing: baton) {
                    handler($0, $1, $2.erased)
                }
            }
            _openExistential(type(of: keyPath).valueType, do: observe)
        }
    }

    /// Makes one registration.
    @inlinable
    package func register<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions,
        isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt, reentrant isReentrant: Bool = false,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let observer else { return }
        let request = RegistrationRequest(
            options, observer: TypeName.of(observer), isolation: isolation, fileID, line, reentrant: isReentrant,
            notifier: { TypedRegistration<Object, Value>.notify($0) })
        registrations.register(
            registration(handler), request, at: keyPath, of: object, for: observer,
            reading: { BoxedValue.holding(unsafe unsafeDowncast($0, to: Object.self)[keyPath: keyPath], in: $1) })
    }

    /// Makes one of several registrations that share a handler.
    package func register<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions,
        isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt, text: String? = nil,
        parts: [AnyKeyPath]? = nil, sharing baton: Baton,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let observer else { return }
        let registration = BatonRegistration<Object, Value>(sharing: baton) { [weak self] object, change in
            self?.withObserver { handler($0, object, change) }
        }
        registrations.register(
            registration,
            BatonRegistration<Object, Value>.request(
                options, text: text, observer: TypeName.of(observer), isolation: isolation, fileID, line),
            of: .keyPath(keyPath, parts: parts), in: object, for: observer)
    }

    /// Calls a handler with the observer; ends all registrations if that has died.
    @inlinable
    func withObserver(_ handler: (Observer) -> Void) {
        guard let observer else { return unobserveAll() }
        handler(observer)
        withExtendedLifetime(self) {}
    }

    /// A registration that calls a handler with the observer, and retains neither the observer nor this controller.
    @inlinable
    func registration<Object: KeyValueObservable, Value>(
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) -> TypedRegistration<Object, Value> {
        TypedRegistration<Object, Value> { [weak self] object, change in
            self?.withObserver { handler($0, object, change) }
        }
    }
}
