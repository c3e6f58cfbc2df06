// Delivery elsewhere through a controller: on an actor, on an executor or queue, on the main actor.

extension KVOController where Observer: Sendable {
    // MARK: In an actor

    /// Calls a handler in an actor's isolation, with the observer, after each change of a key path of an object.
    ///
    /// ```swift
    /// actor Ledger {
    ///     private lazy var kvo = KVOController(observer: self)
    ///     private var ages: [Int] = []
    ///
    ///     func follow(_ person: Person) {
    ///         kvo.observe(person, \.age, options: .new, on: self) { _, ledger, change in
    ///             ledger.ages.append(change.requiredNewValue)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// What may be observed, order, threads, traps and what is dropped are as without a controller. The object is
    /// retained as by the other forms; with nil nothing happens. The registration ends with this controller, the observer
    /// or the object, or with `unobserve`; after the observer has died nothing is delivered. If the object is observed at
    /// the same key path already, ``DuplicatePolicy`` decides.
    public func observe<Object: KeyValueObservable, Value: Sendable, Recipient: Actor>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [],
        on recipient: Recipient,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (Observer, isolated Recipient, KeyValueObservedChange<Value>) -> Void
    ) {
        deliver(object, .keyPath(keyPath), .changes(options), bufferingPolicy, fileID, line) { link in
            ActorDelivery(recipient) { recipient, change in link.withObserver { changeHandler($0, recipient, change) } }
        }
    }

    /// Calls one handler in an actor's isolation, with the observer, after each change of any of several key paths of an
    /// object.
    ///
    /// The changes of all key paths wait in one line. Each key path is a registration of its own, which `unobserve` ends
    /// alone: what waits of it is then dropped.
    public func observe<
        Object: KeyValueObservable, First: Sendable, Second: Sendable, each More: Sendable, Recipient: Actor
    >(
        _ object: Object?, _ first: KeyPath<Object, First>, _ second: KeyPath<Object, Second>,
        _ more: repeat KeyPath<Object, each More>, options: KeyValueObservingOptions = [], on recipient: Recipient,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (Observer, isolated Recipient, KeyValueObservedChange<any Sendable>) -> Void
    ) {
        let keyPaths = InboxSources.keyPaths(first, second, repeat each more)
        deliver(object, keyPaths, .changes(options), bufferingPolicy, fileID, line) { link in
            ActorDelivery(recipient) { recipient, change in link.withObserver { changeHandler($0, recipient, change) } }
        }
    }

    /// Calls a handler in an actor's isolation, with the observer, after each change of what an expression reads.
    public func observe<Object: KeyValueObservable, Value: Sendable, Recipient: Actor>(
        _ object: Object?, reading expression: @escaping (Object) -> Value, options: KeyValueObservingOptions = [],
        on recipient: Recipient, bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID,
        line: UInt = #line,
        changeHandler: @escaping @Sendable (Observer, isolated Recipient, KeyValueObservedChange<Value>) -> Void
    ) {
        let subject = InboxSources.reading(expression, fileID, line)
        deliver(object, subject, .changes(options), bufferingPolicy, fileID, line) { link in
            ActorDelivery(recipient) { recipient, change in link.withObserver { changeHandler($0, recipient, change) } }
        }
    }

    /// Calls an action in an actor's isolation, with the observer, when the value of a key path has become another one.
    ///
    /// See ``KeyValueObservable/onChange(of:initial:fileID:line:_:)`` for when the action is called.
    public func onChange<Object: KeyValueObservable, Value: Equatable & Sendable, Recipient: Actor>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = false,
        on recipient: Recipient, bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID,
        line: UInt = #line,
        _ action: @escaping @Sendable (Observer, isolated Recipient, _ oldValue: Value, _ newValue: Value) -> Void
    ) {
        deliver(object, .keyPath(keyPath), .values(initial), bufferingPolicy, fileID, line) { link in
            ActorDelivery(recipient, values: { actor, old, new in link.withObserver { action($0, actor, old, new) } })
        }
    }

    /// Calls an action in an actor's isolation, with the observer, when what an expression reads has become another value.
    public func onChange<Object: KeyValueObservable, Value: Equatable & Sendable, Recipient: Actor>(
        of object: Object?, reading expression: @escaping (Object) -> Value, initial: Bool = false,
        on recipient: Recipient, bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID,
        line: UInt = #line,
        _ action: @escaping @Sendable (Observer, isolated Recipient, _ oldValue: Value, _ newValue: Value) -> Void
    ) {
        let subject = InboxSources.reading(expression, fileID, line)
        deliver(object, subject, .values(initial), bufferingPolicy, fileID, line) { link in
            ActorDelivery(recipient, values: { actor, old, new in link.withObserver { action($0, actor, old, new) } })
        }
    }

    // MARK: On an executor

    /// Calls a handler on an executor or queue, with the observer, after each change of a key path of an object.
    ///
    /// ```swift
    /// final class Store: Sendable {
    ///     nonisolated func save(_ age: Int) {}
    /// }
    ///
    /// struct Background: KeyValueChangeExecutor {
    ///     func execute(_ job: @escaping @Sendable () -> Void) { Task.detached { job() } }
    /// }
    ///
    /// let store = Store()
    /// let kvo = KVOController(observer: store)
    /// kvo.observe(person, \.age, options: .new, on: Background()) { store, change in
    ///     store.save(change.requiredNewValue)
    /// }
    /// ```
    public func observe<Object: KeyValueObservable, Value: Sendable, Executor: KeyValueChangeExecutor>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [],
        on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (Observer, KeyValueObservedChange<Value>) -> Void
    ) {
        deliver(object, .keyPath(keyPath), .changes(options), bufferingPolicy, fileID, line) { link in
            ExecutorDelivery(executor) { change in link.withObserver { changeHandler($0, change) } }
        }
    }

    /// Calls one handler on an executor or queue, with the observer, after each change of any of several key paths of an
    /// object.
    public func observe<
        Object: KeyValueObservable, First: Sendable, Second: Sendable, each More: Sendable,
        Executor: KeyValueChangeExecutor
    >(
        _ object: Object?, _ first: KeyPath<Object, First>, _ second: KeyPath<Object, Second>,
        _ more: repeat KeyPath<Object, each More>, options: KeyValueObservingOptions = [], on executor: Executor,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (Observer, KeyValueObservedChange<any Sendable>) -> Void
    ) {
        let keyPaths = InboxSources.keyPaths(first, second, repeat each more)
        deliver(object, keyPaths, .changes(options), bufferingPolicy, fileID, line) { link in
            ExecutorDelivery(executor) { change in link.withObserver { changeHandler($0, change) } }
        }
    }

    /// Calls a handler on an executor or queue, with the observer, after each change of what an expression reads.
    public func observe<Object: KeyValueObservable, Value: Sendable, Executor: KeyValueChangeExecutor>(
        _ object: Object?, reading expression: @escaping (Object) -> Value, options: KeyValueObservingOptions = [],
        on executor: Executor, bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID,
        line: UInt = #line,
        changeHandler: @escaping @Sendable (Observer, KeyValueObservedChange<Value>) -> Void
    ) {
        let subject = InboxSources.reading(expression, fileID, line)
        deliver(object, subject, .changes(options), bufferingPolicy, fileID, line) { link in
            ExecutorDelivery(executor) { change in link.withObserver { changeHandler($0, change) } }
        }
    }

    /// Calls an action on an executor or queue, with the observer, when the value of a key path has become another one.
    public func onChange<Object: KeyValueObservable, Value: Equatable & Sendable, Executor: KeyValueChangeExecutor>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = false,
        on executor: Executor, bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID,
        line: UInt = #line,
        _ action: @escaping @Sendable (Observer, _ oldValue: Value, _ newValue: Value) -> Void
    ) {
        deliver(object, .keyPath(keyPath), .values(initial), bufferingPolicy, fileID, line) { link in
            ExecutorDelivery(executor, values: { old, new in link.withObserver { action($0, old, new) } })
        }
    }

    /// Calls an action on an executor or queue, with the observer, when what an expression reads has become another value.
    public func onChange<Object: KeyValueObservable, Value: Equatable & Sendable, Executor: KeyValueChangeExecutor>(
        of object: Object?, reading expression: @escaping (Object) -> Value, initial: Bool = false,
        on executor: Executor, bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID,
        line: UInt = #line,
        _ action: @escaping @Sendable (Observer, _ oldValue: Value, _ newValue: Value) -> Void
    ) {
        let subject = InboxSources.reading(expression, fileID, line)
        deliver(object, subject, .values(initial), bufferingPolicy, fileID, line) { link in
            ExecutorDelivery(executor, values: { old, new in link.withObserver { action($0, old, new) } })
        }
    }

    // MARK: On the main actor

    /// Calls a handler on the main actor, with the observer, after each change of a key path of an object.
    ///
    /// ```swift
    /// @MainActor
    /// final class Label {
    ///     private lazy var kvo = KVOController(observer: self)
    ///     private(set) var text = ""
    ///
    ///     func show(_ person: Person) {
    ///         kvo.observeOnMainActor(person, \.name, options: .new) { label, change in
    ///             label.text = change.requiredNewValue
    ///         }
    ///     }
    /// }
    /// ```
    public func observeOnMainActor<Object: KeyValueObservable, Value: Sendable>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (Observer, KeyValueObservedChange<Value>) -> Void
    ) {
        deliver(object, .keyPath(keyPath), .changes(options), bufferingPolicy, fileID, line) { link in
            MainActorDelivery { change in link.withObserver { changeHandler($0, change) } }
        }
    }

    /// Calls one handler on the main actor, with the observer, after each change of any of several key paths of an object.
    public func observeOnMainActor<Object: KeyValueObservable, First: Sendable, Second: Sendable, each More: Sendable>(
        _ object: Object?, _ first: KeyPath<Object, First>, _ second: KeyPath<Object, Second>,
        _ more: repeat KeyPath<Object, each More>, options: KeyValueObservingOptions = [],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (Observer, KeyValueObservedChange<any Sendable>) -> Void
    ) {
        let keyPaths = InboxSources.keyPaths(first, second, repeat each more)
        deliver(object, keyPaths, .changes(options), bufferingPolicy, fileID, line) { link in
            MainActorDelivery { change in link.withObserver { changeHandler($0, change) } }
        }
    }

    /// Calls a handler on the main actor, with the observer, after each change of what an expression reads.
    public func observeOnMainActor<Object: KeyValueObservable, Value: Sendable>(
        _ object: Object?, reading expression: @escaping (Object) -> Value, options: KeyValueObservingOptions = [],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (Observer, KeyValueObservedChange<Value>) -> Void
    ) {
        let subject = InboxSources.reading(expression, fileID, line)
        deliver(object, subject, .changes(options), bufferingPolicy, fileID, line) { link in
            MainActorDelivery { change in link.withObserver { changeHandler($0, change) } }
        }
    }

    /// Calls an action on the main actor, with the observer, when the value of a key path has become another one.
    public func onChangeOnMainActor<Object: KeyValueObservable, Value: Equatable & Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @MainActor (Observer, _ oldValue: Value, _ newValue: Value) -> Void
    ) {
        deliver(object, .keyPath(keyPath), .values(initial), bufferingPolicy, fileID, line) { link in
            MainActorDelivery(values: { old, new in link.withObserver { action($0, old, new) } })
        }
    }

    /// Calls an action on the main actor, with the observer, when what an expression reads has become another value.
    public func onChangeOnMainActor<Object: KeyValueObservable, Value: Equatable & Sendable>(
        of object: Object?, reading expression: @escaping (Object) -> Value, initial: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        _ action: @escaping @MainActor (Observer, _ oldValue: Value, _ newValue: Value) -> Void
    ) {
        let subject = InboxSources.reading(expression, fileID, line)
        deliver(object, subject, .values(initial), bufferingPolicy, fileID, line) { link in
            MainActorDelivery(values: { old, new in link.withObserver { action($0, old, new) } })
        }
    }

    /// Makes registrations whose changes are delivered elsewhere, in one order.
    private func deliver<Object: KeyValueObservable, Kept: Sendable, Recipient: InboxDelivery<Kept>>(
        _ object: Object?, _ sources: InboxSources<Object, Kept>, _ content: InboxContent,
        _ policy: KeyValueBufferingPolicy, _ fileID: StaticString, _ line: UInt,
        to delivery: (ObserverLink<Observer>) -> Recipient
    ) {
        guard let object, let observer else { return }
        let link = ObserverLink(observer, registrations)
        let request = ElsewhereRequest(
            to: link.name(of: Recipient.name), content, policy, of: sources, in: object, fileID, line)
        let retained = object === observer ? nil : object
        _ = object.fillInbox(of: sources, request, delivery(link)) { source, record in
            _ = registrations.add(
                object, at: { source.target(of: object) },
                RegistrationRequest(content.options, isolation: nil, fileID, line, notifier: { _ in }),
                retaining: retained, record: record)
        }
    }
}

/// What a handler that runs elsewhere has of a controller, and retains nothing of.
private struct ObserverLink<Observer: AnyObject & Sendable>: Sendable {
    private let observer: ObserverReference
    private weak let registrations: ControllerRegistrations?

    init(_ observer: Observer, _ registrations: ControllerRegistrations) {
        self.observer = ObserverReference(observer)
        self.registrations = registrations
    }

    /// Calls a handler with the observer; ends all registrations if that has died.
    func withObserver(_ handler: (Observer) -> Void) {
        // It was made of such an observer.
        guard let observer = observer.object else {
            registrations?.removeAll()
            return
        }
        handler(unsafe unsafeDowncast(observer, to: Observer.self))
    }

    /// Where it is delivered, for listings and messages.
    func name(of delivery: String) -> String { "\(delivery) for \(TypeName.text(of: Observer.self))" }
}
