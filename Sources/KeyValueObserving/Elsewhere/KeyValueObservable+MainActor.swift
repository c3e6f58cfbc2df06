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
        let request = ElsewhereRequest(
            to: "handler on the main actor", options, bufferingPolicy, at: keyPath, of: self, fileID, line)
        return register(keyPath, request, MainActorDelivery(changeHandler))
    }
}

/// Calls a handler on the main actor.
private final class MainActorDelivery<Value: Sendable>: InboxDelivery {
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
        while let change = inbox.take() {
            handler(change)
            await Task.yield()
        }
    }
}
