// Observing through a controller: one handler for a key path, or for several.

extension KVOController {
    /// Calls a handler with the observer at every change of a key path of an object.
    ///
    /// What may be observed, order, threads and traps are as for
    /// ``KeyValueObservable/observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``. The
    /// registration ends with this controller, the observer or the object, or with `unobserve`. If the object is
    /// observed at the same key path already, ``DuplicatePolicy`` decides. Use the `action:` forms to have a method of
    /// the observer called instead.
    ///
    /// - Parameters:
    ///   - object: The object; with nil nothing happens.
    ///   - keyPath: What to observe, from the object.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - fileID: Where the registration is made, for the listing.
    ///   - line: Where the registration is made, for the listing.
    ///   - handler: Called with the observer, the object and the change.
    @inlinable @inline(__always)
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [],
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let object else { return }
        register(
            object, keyPath, options, isolation: handler.isolation, fileID, line, ControllerHandler(handler).call)
    }

    /// Calls a handler with the observer at every change of a key path that really changes the value.
    ///
    /// Like ``observe(_:_:options:fileID:line:handler:)`` except that a change from one value to an equal one is not
    /// delivered: see ``KeyValueObservable/observe(_:options:skipsEqualValues:fileID:line:changeHandler:)``.
    ///
    /// - Parameters:
    ///   - object: The object; with nil nothing happens.
    ///   - keyPath: What to observe, from the object.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - skipsEqualValues: Whether to leave out changes whose old and new values are equal.
    ///   - fileID: Where the registration is made, for the listing.
    ///   - line: Where the registration is made, for the listing.
    ///   - handler: Called with the observer, the object and the change.
    @inlinable @inline(__always)
    public func observe<Object: KeyValueObservable, Value: Equatable>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [],
        skipsEqualValues: Bool, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard skipsEqualValues else {
            return observe(object, keyPath, options: options, fileID: fileID, line: line, handler: handler)
        }
        guard let object else { return }
        register(
            object, keyPath, options, needing: [.old, .new], isolation: handler.isolation, fileID, line,
            form: .handlersOfDistinctValues,
            notifier: { TypedRegistration<Object, Value>.notifyUnlessEqual($0) }, ControllerHandler(handler).call)
    }

    /// Calls one handler at every change of any of several key paths of an object.
    ///
    /// ```swift
    /// kvo.observe(person, \.age, \.name) { screen, person, change in
    ///     screen.log("\(change.keyPath)")
    /// }
    /// ```
    ///
    /// Each key path is a registration of its own, made in the order given, and each change is delivered by itself;
    /// `change.keyPath` says which it was. All key paths are checked before the first is registered.
    ///
    /// - Parameters:
    ///   - object: The object; with nil nothing happens.
    ///   - first: What to observe, from the object.
    ///   - second: What to observe as well.
    ///   - more: What else to observe.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - fileID: Where the registration is made, for the listing.
    ///   - line: Where the registration is made, for the listing.
    ///   - handler: Called with the observer, the object and the change.
    @inlinable
    public func observe<Object: KeyValueObservable, First, Second, each More>(
        _ object: Object?, _ first: KeyPath<Object, First>, _ second: KeyPath<Object, Second>,
        _ more: repeat KeyPath<Object, each More>, options: KeyValueObservingOptions = [],
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) {
        guard let object else { return }
        RegistrationTarget.check(first, of: object, fileID, line)
        RegistrationTarget.check(second, of: object, fileID, line)
        repeat RegistrationTarget.check(each more, of: object, fileID, line)

        let (isolation, call) = (handler.isolation, ControllerHandler(handler).call)
        register(object, first, options, isolation: isolation, fileID, line) { call($0, $1, $2.erased) }
        register(object, second, options, isolation: isolation, fileID, line) { call($0, $1, $2.erased) }
        repeat register(object, each more, options, isolation: isolation, fileID, line) { call($0, $1, $2.erased) }
    }

    /// Makes one registration.
    ///
    /// The handler that the object owns holds this controller weakly, so neither keeps the other alive.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - keyPath: Where.
    ///   - options: What was asked for.
    ///   - others: What must be read beside that.
    ///   - isolation: The actor that the handler belongs to.
    ///   - fileID: Where the registration is made.
    ///   - line: Where the registration is made.
    ///   - text: The key path as it was given, if that was a string.
    ///   - parts: The key paths that the key path was put together from, if it was.
    ///   - form: Which changes the notifier passes on.
    ///   - notifier: Calls handlers of this type.
    ///   - handler: The handler.
    @inlinable
    func register<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions,
        needing others: KeyValueObservingOptions = [], isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        text: String? = nil, parts: [AnyKeyPath]? = nil,
        form: RegistrationRequest.Form = .handlers,
        notifier: @escaping RegistrationRequest.Notifier = { TypedRegistration<Object, Value>.notify($0) },
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let observer else { return }
        let request = RegistrationRequest(
            options, needing: others, text: text, observer: TypeName.of(observer),
            isolation: isolation, fileID, line, form: form, notifier: notifier)
        let registration = TypedRegistration<Object, Value> { [weak self] object, change in
            guard let self else { return }
            guard let observer = self.observer else { return unobserveAll() }
            handler(observer, object, change)
            withExtendedLifetime(self) {}
        }
        // Retaining oneself would be a cycle through the controller that one owns.
        let retained = object === observer ? nil : object
        registrations.register(
            registration, request, at: keyPath, of: object, under: ObjectIdentifier(object), retaining: retained,
            parts: parts)
    }
}
