// Observing through a controller with a method of the observer in place of a handler.

extension KVOController {
    /// Calls a method of the observer at every change of a key path of an object.
    ///
    /// ```swift
    /// kvo.observe(person, \.age, action: Screen.redraw)
    /// ```
    ///
    /// Pass the method unapplied, as above, so that the observer is not retained. It may also take the change, or the
    /// change and the object. All else is as for ``observe(_:_:options:fileID:line:changeHandler:)``.
    @inlinable
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line, action: @escaping (Observer) -> @isolated(any) () -> Void
    ) {
        guard let object, let observer else { return }
        register(object, keyPath, options, isolation: action(observer).isolation, fileID, line) { observer, _, _ in
            ActionHandler(action(observer)).call()
        }
    }

    /// Calls a method that takes the change.
    @inlinable
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> @isolated(any) (KeyValueObservedChange<Value>) -> Void
    ) {
        guard let object, let observer else { return }
        register(object, keyPath, options, isolation: action(observer).isolation, fileID, line) { observer, _, change in
            let call = ActionHandler(action(observer)).call
            call(change)
        }
    }

    /// Calls a method that takes the change and the object.
    @inlinable
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> @isolated(any) (KeyValueObservedChange<Value>, Object) -> Void
    ) {
        guard let object, let observer else { return }
        register(object, keyPath, options, isolation: action(observer).isolation, fileID, line) {
            let call = ActionHandler(action($0)).call
            call($2, $1)
        }
    }
}
