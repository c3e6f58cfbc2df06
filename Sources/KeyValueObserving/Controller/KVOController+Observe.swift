// Observing through a controller: one handler for a key path, or for several.

extension KVOController {
    /// Calls a handler with the observer at every change of a key path of an object.
    ///
    /// What may be observed, when the handler is called and what traps is as for
    /// ``KeyValueObservable/observe(_:options:fileID:line:changeHandler:)``. Use the `action:` forms to have a method of
    /// the observer called instead.
    ///
    /// - Parameters:
    ///   - object: The object; with nil nothing happens.
    ///   - keyPath: What to observe, from the object.
    ///   - options: What to be told; with none, only that something changed.
    ///   - fileID: Where the registration is made, for the listing.
    ///   - line: Where the registration is made, for the listing.
    ///   - handler: Called with the observer, the object and the change.
    @inlinable @inline(__always)
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [],
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let object else { return }
        register(
            object, keyPath, options, fileID, line, evaluating: { AnyValue.reading(keyPath, of: $0) }, handler)
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
    ///   - options: What to be told; with none, only that something changed.
    ///   - fileID: Where the registration is made, for the listing.
    ///   - line: Where the registration is made, for the listing.
    ///   - handler: Called with the observer, the object and the change.
    @inlinable
    public func observe<Object: KeyValueObservable, First, Second, each More>(
        _ object: Object?, _ first: KeyPath<Object, First>, _ second: KeyPath<Object, Second>,
        _ more: repeat KeyPath<Object, each More>, options: KeyValueObservingOptions = [],
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) {
        guard let object else { return }
        let table = object.keyValueRegistrar.table()
        table.checkObservable(first, of: object, fileID, line)
        table.checkObservable(second, of: object, fileID, line)
        repeat table.checkObservable(each more, of: object, fileID, line)

        register(object, first, options, fileID, line) { handler($0, $1, $2.erased) }
        register(object, second, options, fileID, line) { handler($0, $1, $2.erased) }
        repeat register(object, each more, options, fileID, line) { handler($0, $1, $2.erased) }
    }

    /// Makes one registration of a key path that is not known where this is compiled.
    @inlinable
    func register<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions,
        _ fileID: StaticString, _ line: UInt, text: String? = nil,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        register(
            object, keyPath, options, fileID, line, text: text, evaluating: { AnyValue.reading(keyPath, of: $0) },
            handler)
    }

    /// Makes one registration, which is listed as `text` if its key path was given as a string.
    ///
    /// The handler that the object owns holds this controller weakly, so neither keeps the other alive.
    @inlinable
    func register<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions,
        _ fileID: StaticString, _ line: UInt, text: String? = nil, evaluating evaluate: (Object) -> AnyValue,
        _ handler: @escaping (Observer, Object, KeyValueObservedChange<Value>) -> Void
    ) {
        guard let observer else { return }
        let terms = RegistrationTerms(
            options, text: text, observer: "\(type(of: observer))", fileID, line,
            teller: { TypedRegistration<Object, Value>.tell(&$0) })
        let registration = TypedRegistration<Object, Value> { [weak self] object, change in
            guard let self else { return }
            guard let observer = self.observer else { return unobserveAll() }
            handler(observer, object, change)
            withExtendedLifetime(self) {}
        }
        // Retaining oneself would be a cycle through the controller that one owns.
        let retained = object === observer ? nil : object
        let isNew = registrations.add(object, keyPath, text: text, retaining: retained) {
            object.record(keyPath, registration, terms, evaluating: evaluate) { AnyValue.reading($1, of: $0) }
        }
        if isNew, options.contains(.initial) { object.tellInitial(registration, options, evaluating: evaluate) }
    }
}
