// Delivery on the main actor.

extension KeyValueObservable {
    /// Calls a handler on the main actor after each change of a key path, for as long as the returned observation lives.
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
    /// Order, threads, lifetime and traps are those of delivery in an actor. The handler is called after the change has
    /// returned, even if the change is made on the main actor.
    public func observeOnMainActor<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let delivery = MainActorDelivery(changeHandler)
        return deliver(.keyPath(keyPath), .changes(options), bufferingPolicy, fileID, line, to: delivery)
    }

    /// Calls one handler on the main actor after each change of any of several key paths.
    ///
    /// ```swift
    /// let observation = person.observeOnMainActor(\.name, \.age) { change in print(change) }
    /// ```
    ///
    /// The changes of all key paths wait in one line, as they do for other actors.
    public func observeOnMainActor<First: Sendable, Second: Sendable, each More: Sendable>(
        _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [], bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (KeyValueObservedChange<any Sendable>) -> Void
    ) -> KeyValueObservation {
        deliver(
            .keyPaths(first, second, repeat each more), .changes(options), bufferingPolicy, fileID, line,
            to: MainActorDelivery(changeHandler))
    }

    /// Calls a handler on the main actor after each change of what an expression reads.
    public func observeOnMainActor<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let delivery = MainActorDelivery(changeHandler)
        return deliver(
            .reading(expression, fileID, line), .changes(options), bufferingPolicy, fileID, line, to: delivery)
    }

    /// Calls an action on the main actor when the value of a key path has become another one.
    ///
    /// The old value is the one that the action was called with last, also where the policy has dropped changes. See
    /// ``onChange(of:initial:fileID:line:_:)`` for when the action is called; all else is as for `observeOnMainActor`.
    public func onChangeOnMainActor<Value: Equatable & Sendable>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @MainActor (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        let delivery = MainActorDelivery(values: action)
        return deliver(.keyPath(keyPath), .values(initial), bufferingPolicy, fileID, line, to: delivery)
    }

    /// Calls an action on the main actor when what an expression reads has become another value.
    public func onChangeOnMainActor<Value: Equatable & Sendable>(
        reading expression: @escaping (Self) -> Value, initial: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @MainActor (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> KeyValueObservation {
        let delivery = MainActorDelivery(values: action)
        return deliver(
            .reading(expression, fileID, line), .values(initial), bufferingPolicy, fileID, line, to: delivery)
    }
}

/// Calls a handler on the main actor.
final class MainActorDelivery<Value: Sendable>: InboxDelivery {
    static var name: String { "handler on the main actor" }

    private let handler: @MainActor (KeyValueObservedChange<Value>) -> Void

    init(_ handler: @escaping @MainActor (KeyValueObservedChange<Value>) -> Void) {
        self.handler = handler
    }

    convenience init(values action: @escaping @MainActor (Value, Value) -> Void) {
        self.init { if let (old, new) = $0.values { action(old, new) } }
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
