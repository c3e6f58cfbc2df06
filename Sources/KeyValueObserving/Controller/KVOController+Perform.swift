// Calling a method of the observer in place of a handler.

extension KVOController {
    /// Calls a method of the observer at every change of a key path of an object.
    ///
    /// ```swift
    /// kvo.perform(Screen.redraw, onChangeOf: person, \.age)
    /// ```
    ///
    /// Pass the method unapplied, as above, so that the observer is not retained. It may also take the change, or the
    /// change and the object. Everything else is as for ``observe(_:_:options:fileID:line:changeHandler:)``.
    @inlinable
    public func perform<Object: KeyValueObservable, Value>(
        _ action: @escaping (Observer) -> @isolated(any) () -> Void,
        onChangeOf object: Object?, _ keyPath: KeyPath<Object, Value>,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line
    ) {
        guard let object, let observer else { return }
        register(object, keyPath, options, isolation: action(observer).isolation, fileID, line) { observer, _, _ in
            ActionHandler(action(observer)).call()
        }
    }

    /// Calls a method that takes the change.
    @inlinable
    public func perform<Object: KeyValueObservable, Value>(
        _ action: @escaping (Observer) -> @isolated(any) (KeyValueObservedChange<Value>) -> Void,
        onChangeOf object: Object?, _ keyPath: KeyPath<Object, Value>,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line
    ) {
        guard let object, let observer else { return }
        register(object, keyPath, options, isolation: action(observer).isolation, fileID, line) { observer, _, change in
            let call = ActionHandler(action(observer)).call
            call(change)
        }
    }

    /// Calls a method that takes the change and the object.
    @inlinable
    public func perform<Object: KeyValueObservable, Value>(
        _ action: @escaping (Observer) -> @isolated(any) (KeyValueObservedChange<Value>, Object) -> Void,
        onChangeOf object: Object?, _ keyPath: KeyPath<Object, Value>,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line
    ) {
        guard let object, let observer else { return }
        register(object, keyPath, options, isolation: action(observer).isolation, fileID, line) {
            let call = ActionHandler(action($0)).call
            call($2, $1)
        }
    }
}
