// Delivery on a dispatch queue.
public import Dispatch
public import KeyValueObserving

extension KeyValueObservable {
    /// Calls a handler on a dispatch queue after each change of a key path, for as long as the returned observation
    /// lives.
    ///
    /// ```swift
    /// import Dispatch
    /// import KeyValueObservingDispatch
    ///
    /// let queue = DispatchQueue(label: "ages")
    /// let observation = person.observe(\.age, options: .new, on: queue) { change in print(change.newValue!) }
    /// ```
    ///
    /// ### Order and threads
    ///
    /// The handler is called after the change has returned, even if the change is made on the same queue. Each change
    /// is delivered once, with the values from the time of the change, unless the policy drops it. Changes made by one
    /// thread are delivered in the order in which that thread made them. The handlers of one registration are called
    /// one after the other, on a concurrent queue as well. `.initial` is delivered on the queue, too, before all
    /// changes. Registering reads the key path, so it needs the same protection as a read.
    ///
    /// ### Lifetime
    ///
    /// The observation retains the handler and the queue, and not this object. It ends when it is released or
    /// invalidated, or when this object dies; what waits then is still delivered. After
    /// `invalidate()` has returned on the queue, if that is a serial one, no handler is called
    /// any more. Elsewhere, one that has begun may be finishing.
    ///
    /// ### Traps
    ///
    /// `.prior` traps: the handler would be called after the change. So does a policy with a number below 1, and a key
    /// path that reads nothing observable.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe, from this object.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - queue: The queue, serial or concurrent.
    ///   - bufferingPolicy: How many changes may wait until the queue has time for them.
    ///   - fileID: Where the registration is made, for `observationInfo`.
    ///   - line: Where the registration is made, for `observationInfo`.
    ///   - changeHandler: Called with the change.
    /// - Returns: The registration. Keep it: releasing it ends it.
    public func observe<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [], on queue: DispatchQueue,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let request = ElsewhereRequest(
            to: "handler on a dispatch queue", options, bufferingPolicy, at: keyPath, of: self, fileID, line)
        return register(keyPath, request, QueueDelivery(queue, changeHandler))
    }

    /// Calls one handler on a dispatch queue after each change of any of several key paths, for as long as the returned
    /// observation lives.
    ///
    /// ```swift
    /// import Dispatch
    /// import KeyValueObservingDispatch
    ///
    /// let queue = DispatchQueue(label: "people")
    /// let observation = person.observe(\.age, \.name, on: queue) { change in print(change) }
    /// ```
    ///
    /// The changes of all key paths wait in one line and under one policy, and are delivered in the order in which they
    /// were made; `change.keyPath` says which changed. Their values are of any type and never optionals:
    /// `change.newValue as? Int`. Each key path is a registration of its own, with a row in `observationInfo`, and one
    /// token ends all. All are checked before the first is registered. One that is given twice counts once. A change that
    /// concerns several of them is delivered once for each, in their order. `.initial` is delivered for each, in their order,
    /// before all changes. With `.distinct` a value is compared with the one delivered last for the same key path.
    ///
    /// Order, threads, lifetime and traps are those of the form with one key path.
    ///
    /// - Parameters:
    ///   - first: What to observe, from this object.
    ///   - second: What to observe as well.
    ///   - more: What else to observe.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - queue: The queue, serial or concurrent.
    ///   - bufferingPolicy: How many changes, of all key paths together, may wait until the queue has time for them.
    ///   - fileID: Where the registrations are made, for `observationInfo`.
    ///   - line: Where the registrations are made, for `observationInfo`.
    ///   - changeHandler: Called with the change.
    /// - Returns: A token for all registrations. Keep it: releasing it ends them.
    public func observe<First: Sendable, Second: Sendable, each More: Sendable>(
        _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [], on queue: DispatchQueue,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (KeyValueObservedChange<any Sendable>) -> Void
    ) -> KeyValueObservation {
        let request = ElsewhereRequest(
            to: "handler on a dispatch queue", options, bufferingPolicy, at: first, of: self, fileID, line,
            isOfSeveral: true)
        return register(SharedKeyPaths(first, second, repeat each more), request, QueueDelivery(queue, changeHandler))
    }
}

/// Calls a handler on a dispatch queue.
private final class QueueDelivery<Value: Sendable>: InboxDelivery {
    private let queue: DispatchQueue
    private let handler: @Sendable (KeyValueObservedChange<Value>) -> Void

    init(_ queue: DispatchQueue, _ handler: @escaping @Sendable (KeyValueObservedChange<Value>) -> Void) {
        self.queue = queue
        self.handler = handler
    }

    func begin(_ inbox: ChangeInbox<Value>) {
        queue.async {
            guard let change = inbox.take() else { return }
            self.handler(change)
            // Others have their turn between two changes.
            self.begin(inbox)
        }
    }
}
