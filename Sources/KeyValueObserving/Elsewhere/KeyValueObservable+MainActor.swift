// Delivery on the main actor.

extension KeyValueObservable {
    /// Calls a handler on the main actor after each change of a key path, for as long as the returned observation
    /// lives.
    ///
    /// ```swift
    /// let observation = person.observeOnMainActor(\.name, options: .new) { change in
    ///     print("Hello, \(change.newValue!)")
    /// }
    /// ```
    ///
    /// It is for objects that any thread may change. An object that belongs to the main actor is changed there, so a
    /// handler of ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)`` is called there, and
    /// at once.
    ///
    /// Order, threads, lifetime and traps are those of
    /// ``observe(_:options:on:bufferingPolicy:fileID:line:changeHandler:)-(_,_,Recipient,_,_,_,_)``.
    /// The handler is called after the change has returned, even if the change is made on the main actor.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe, from this object.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - bufferingPolicy: How many changes may wait until the main actor has time for them.
    ///   - fileID: Where the registration is made, for ``observationInfo``.
    ///   - line: Where the registration is made, for ``observationInfo``.
    ///   - changeHandler: Called with the change.
    /// - Returns: The registration. Keep it: releasing it ends it.
    public func observeOnMainActor<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        deliver(
            [ObservedSubject.keyPath(keyPath).source], options, bufferingPolicy, fileID, line,
            to: MainActorDelivery(changeHandler))
    }

    /// Calls one handler on the main actor after each change of any of several key paths, for as long as the returned
    /// observation lives.
    ///
    /// ```swift
    /// let observation = person.observeOnMainActor(\.name, \.age) { change in print(change) }
    /// ```
    ///
    /// The changes of all key paths wait in one line and under one policy, and are delivered in the order in which they
    /// were made; ``KeyValueObservedChange/keyPath`` says which changed. Their values are of any type and never optionals:
    /// `change.newValue as? Int`. Each key path is a registration of its own, with a row in ``observationInfo``, and one
    /// token ends all. All are checked before the first is registered. One that is given twice counts once. A change that
    /// concerns several of them is delivered once for each, in their order. `.initial` is delivered for each, in their order,
    /// before all changes. With `.distinct` a value is compared with the one delivered last for the same key path.
    ///
    /// The rest is as for ``observeOnMainActor(_:options:bufferingPolicy:fileID:line:changeHandler:)``.
    ///
    /// - Parameters:
    ///   - first: What to observe, from this object.
    ///   - second: What to observe as well.
    ///   - more: What else to observe.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - bufferingPolicy: How many changes, of all key paths together, may wait until the main actor has time for them.
    ///   - fileID: Where the registrations are made, for ``observationInfo``.
    ///   - line: Where the registrations are made, for ``observationInfo``.
    ///   - changeHandler: Called with the change.
    /// - Returns: A token for all registrations. Keep it: releasing it ends them.
    public func observeOnMainActor<First: Sendable, Second: Sendable, each More: Sendable>(
        _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [], bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (KeyValueObservedChange<any Sendable>) -> Void
    ) -> KeyValueObservation {
        deliver(
            SharedKeyPaths(first, second, repeat each more).sources, options, bufferingPolicy, fileID, line,
            to: MainActorDelivery(changeHandler))
    }

    /// Calls a handler on the main actor after each change of what an expression reads, for as long as the returned observation
    /// lives.
    ///
    /// See ``observe(reading:options:fileID:line:changeHandler:)`` for what an expression may be, and
    /// ``observeOnMainActor(_:options:bufferingPolicy:fileID:line:changeHandler:)`` for all else.
    public func observeOnMainActor<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        deliver(
            [ObservedSubject.reading(expression, fileID, line).source], options, bufferingPolicy,
            fileID, line, to: MainActorDelivery(changeHandler))
    }

    /// Calls an action on the main actor when the value of a key path has become another one, for as long as the returned
    /// observation lives.
    ///
    /// The old value is the one that the action was called with last, also where the policy has dropped changes. See
    /// ``onChange(of:initial:fileID:line:_:)`` for when the action is called, and
    /// ``observeOnMainActor(_:options:bufferingPolicy:fileID:line:changeHandler:)`` for order, threads, lifetime and traps.
    public func onChangeOnMainActor<Value: Equatable & Sendable>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @MainActor (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        deliver(
            [ObservedSubject.keyPath(keyPath).source], .ofValues(initial), bufferingPolicy, ofWholes: true, fileID,
            line, to: MainActorDelivery { if let (old, new) = $0.values { action(old, new) } })
    }

    /// Calls an action on the main actor when what an expression reads has become another value, for as long as the returned
    /// observation lives.
    public func onChangeOnMainActor<Value: Equatable & Sendable>(
        reading expression: @escaping (Self) -> Value, initial: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @MainActor (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        deliver(
            [ObservedSubject.reading(expression, fileID, line).source], .ofValues(initial),
            bufferingPolicy, ofWholes: true, fileID, line,
            to: MainActorDelivery { if let (old, new) = $0.values { action(old, new) } })
    }
}

/// Calls a handler on the main actor.
final class MainActorDelivery<Value: Sendable>: InboxDelivery {
    static var name: String { "handler on the main actor" }

    private let handler: @MainActor (KeyValueObservedChange<Value>) -> Void

    init(_ handler: @escaping @MainActor (KeyValueObservedChange<Value>) -> Void) {
        self.handler = handler
    }

    func begin(_ inbox: ChangeInbox<Value>) {
        Task.detached { await self.deliverAll(inbox) }
    }

    @MainActor
    private func deliverAll(_ inbox: ChangeInbox<Value>) async {
        // Others have their turn between two changes.
        while inbox.deliverNext(to: { handler($0) }) { await Task.yield() }
    }
}
