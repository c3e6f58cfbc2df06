// Publishers of observed values, for Combine or OpenCombine.
#if canImport(Combine) || OpenCombine
public import KeyValueObserving

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension KeyValueObservable {
    /// Publishes the value of a key path when it is subscribed to, and after each change.
    ///
    /// ```swift
    /// let titles = document.publisher(for: \.title).map { $0.uppercased() }.sink { print($0) }
    /// ```
    ///
    /// It corresponds to `publisher(for:options:)` of `NSObject`. The rules for key paths and the traps are those of
    /// `observe(_:options:changeHandler:)`.
    ///
    /// ### Order and threads
    ///
    /// Values are published on the thread that makes a change, before the change returns. The value is read from the
    /// object when it is published. If a subscriber has no demand, the subscription keeps only the newest value, and
    /// publishes it on the thread that demands more.
    ///
    /// ### Lifetime
    ///
    /// The publisher retains the object; a subscription does not. A subscription ends when it is canceled or when the
    /// object dies. It does not complete.
    ///
    /// - Parameters:
    ///   - keyPath: The key path to publish, from this object.
    ///   - options: `.initial` publishes the value when a subscriber comes, and `.prior` also before each change.
    ///     `.old` and `.new` do not change what is published.
    ///   - fileID: Where the publisher is made, for the listing of observers.
    ///   - line: Where the publisher is made, for the listing of observers.
    /// - Returns: The publisher. Each subscription is a registration of its own.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.initial, .new],
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservingPublisher<Self, Value> {
        KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options, fileID: fileID, line: line)
    }
}

/// A publisher of the values of an object's key path, as `publisher(for:)` of ``KeyValueObserving/KeyValueObservable``
/// returns it.
public struct KeyValueObservingPublisher<Subject: KeyValueObservable, Value>: Publisher {
    /// The type of the key path's values.
    public typealias Output = Value
    /// The publisher never fails.
    public typealias Failure = Never

    /// The observed object.
    public let object: Subject
    /// The observed key path.
    public let keyPath: KeyPath<Subject, Value>
    /// The options that decide when values are published.
    public let options: KeyValueObservingOptions
    fileprivate let fileID: StaticString
    fileprivate let line: UInt

    /// Registers for a subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Value, Downstream.Failure == Never {
        let subscription = KeyValueObservingSubscription(subscriber)
        subscriber.receive(subscription: subscription)
        subscription.begin(self)
    }
}

/// A subscriber's registration.
private final class KeyValueObservingSubscription<Downstream: Subscriber>: Subscription
where Downstream.Failure == Never {
    private struct State {
        var downstream: Downstream?
        var observation: KeyValueObservation?
        var demand = Subscribers.Demand.none
        /// The newest value that there was no demand for.
        var waiting: Downstream.Input?
    }

    private let state: Guarded<State>

    init(_ downstream: Downstream) {
        state = Guarded(State(downstream: downstream))
    }

    func begin<Subject>(_ publisher: KeyValueObservingPublisher<Subject, Downstream.Input>) {
        // A subscription that is canceled already does not register.
        guard state.withLock({ $0.downstream != nil }) else { return }
        let keyPath = publisher.keyPath
        let observation = publisher.object.observe(
            keyPath, options: publisher.options, fileID: publisher.fileID, line: publisher.line
        ) { [weak self] object, _ in
            self?.publish(object[keyPath: keyPath])
        }
        let isCanceled = state.withLock { state in
            if state.downstream != nil { state.observation = observation }
            return state.downstream == nil
        }
        if isCanceled { observation.invalidate() }
    }

    private func publish(_ value: Downstream.Input) {
        let (downstream, outdated) = state.withLock { state -> (Downstream?, Downstream.Input?) in
            guard state.demand > .none, let downstream = state.downstream else {
                // A canceled subscription keeps no value.
                defer { state.waiting = state.downstream == nil ? nil : value }
                return (nil, state.waiting)
            }
            state.demand -= 1
            return (downstream, nil)
        }
        // The earlier value is released without the lock.
        withExtendedLifetime(outdated) {}
        if let downstream { request(downstream.receive(value)) }
    }

    func request(_ demand: Subscribers.Demand) {
        var demand = demand
        // A subscriber that receives a value may demand the next one, which may have come meanwhile.
        while let (downstream, value) = takeWaiting(demand) { demand = downstream.receive(value) }
    }

    /// Takes the waiting value, if there is demand for it.
    private func takeWaiting(_ demand: Subscribers.Demand) -> (downstream: Downstream, value: Downstream.Input)? {
        state.withLock { state in
            state.demand += demand
            guard state.demand > .none, let downstream = state.downstream, let value = state.waiting else { return nil }
            state.demand -= 1
            state.waiting = nil
            return (downstream, value)
        }
    }

    func cancel() {
        // The subscriber and the value are released without the lock.
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        ended.observation?.invalidate()
    }
}
#endif
