// How changes were delivered elsewhere before there were sequences: what to write instead.

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension KeyValueObservable {
    @available(
        *, unavailable, message: "write changes(of: \\.a).deliver(on: queue) { change in }; for an actor, deliver(to:)"
    )
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, _ second: PartialKeyPath<Self>? = nil, options: KeyValueObservingOptions = [],
        on queue: Any, changeHandler: (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(*, unavailable, message: "write changes(of: \\.a).deliver(to: actor) { actor, change in }")
    public func observe<Value, Recipient: Actor>(
        _ keyPath: KeyPath<Self, Value>, _ second: PartialKeyPath<Self>? = nil, options: KeyValueObservingOptions = [],
        on actor: Recipient, changeHandler: (isolated Recipient, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(*, unavailable, message: "write changes(of: \\.a).deliverOnMainActor { change in }")
    public func observeOnMainActor<Value>(
        _ keyPath: KeyPath<Self, Value>, _ second: PartialKeyPath<Self>? = nil, options: KeyValueObservingOptions = [],
        changeHandler: @MainActor (KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(*, unavailable, message: "write transitions(of: \\.a).deliver(on: queue) { old, new in }")
    public func onChange<Value>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false, on queue: Any, _ action: (Value, Value) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(*, unavailable, message: "write transitions(of: \\.a).deliver(to: actor) { actor, change in }")
    public func onChange<Value, Recipient: Actor>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false, on actor: Recipient,
        _ action: (isolated Recipient, Value, Value) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }

    @available(*, unavailable, message: "write transitions(of: \\.a).deliverOnMainActor { old, new in }")
    public func onChangeOnMainActor<Value>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false, _ action: @MainActor (Value, Value) -> Void
    ) -> KeyValueObservation { fatalError("unavailable") }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(
    *, unavailable,
    message: "write object.changes(of: \\.a) or .transitions(of: \\.a), and .deliver(on: queue, by: kvo), (to:by:)"
)
extension KVOController {
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [], on queue: Any,
        changeHandler: (Observer, KeyValueObservedChange<Value>) -> Void
    ) { fatalError("unavailable") }

    public func observe<Object: KeyValueObservable, Value, Recipient: Actor>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [],
        on actor: Recipient, changeHandler: (Observer, isolated Recipient, KeyValueObservedChange<Value>) -> Void
    ) { fatalError("unavailable") }

    public func observeOnMainActor<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [],
        changeHandler: @MainActor (Observer, KeyValueObservedChange<Value>) -> Void
    ) { fatalError("unavailable") }

    public func onChange<Object: KeyValueObservable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = false, on queue: Any,
        _ action: (Observer, Value, Value) -> Void
    ) { fatalError("unavailable") }

    public func onChangeOnMainActor<Object: KeyValueObservable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = false,
        _ action: @MainActor (Observer, Value, Value) -> Void
    ) { fatalError("unavailable") }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension KeyValueSequence {
    @available(
        *, unavailable,
        message:
            "for an actor write deliver(to:), for a dispatch queue import the product KeyValueObservingDispatch; others conform to KeyValueChangeExecutor"
    )
    public func deliver(on place: Any, _ handler: (Element) -> Void) -> KeyValueObservation {
        fatalError("unavailable")
    }
}

/// Not available: there is one type of sequence.
@available(*, unavailable, renamed: "KeyValueSequence")
public typealias KeyValueChanges<Value: Sendable> = KeyValueSequence<KeyValueObservedChange<Value>>

/// Not available: there is one type of sequence.
@available(*, unavailable, renamed: "KeyValueSequence")
public typealias KeyValueValues<Value: Sendable> = KeyValueSequence<Value>
