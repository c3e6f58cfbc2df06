// The functions of users that are called with changes, without the actors that they may belong to.

// Swift lets a function whose isolation is only known when the program runs be called with `await` alone, which a
// synchronous delivery cannot do. So the actor is noted when a handler is registered, `CallSite.checkIsolation` makes
// sure before each call that the calling code runs on it, and the function is called as one that belongs nowhere. Both
// kinds of function are called in the same way, as `MainActor.assumeIsolated` relies on, too. Structures hold the
// functions here, because Swift would wrap a function that is cast itself.

/// A handler of changes.
@frozen @usableFromInline
struct Handler<Object: AnyObject, Value> {
    @usableFromInline let call: (Object, KeyValueObservedChange<Value>) -> Void

    @frozen @usableFromInline
    struct Isolated {
        @usableFromInline let call: @isolated(any) (Object, KeyValueObservedChange<Value>) -> Void

        @inlinable
        init(_ handler: @escaping @isolated(any) (Object, KeyValueObservedChange<Value>) -> Void) { call = handler }
    }

    @inlinable
    init(_ handler: @escaping @isolated(any) (Object, KeyValueObservedChange<Value>) -> Void) {
        self = unsafe unsafeBitCast(Isolated(handler), to: Self.self)
    }
}

/// A handler that is called with its controller's observer.
@frozen @usableFromInline
struct ControllerHandler<Observer: AnyObject, Object: AnyObject, Value> {
    @usableFromInline let call: (Observer, Object, KeyValueObservedChange<Value>) -> Void

    @frozen @usableFromInline
    struct Isolated {
        @usableFromInline let call: @isolated(any) (Observer, Object, KeyValueObservedChange<Value>) -> Void

        @inlinable
        init(_ handler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Value>) -> Void) {
            call = handler
        }
    }

    @inlinable
    init(_ handler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Value>) -> Void) {
        self = unsafe unsafeBitCast(Isolated(handler), to: Self.self)
    }
}

/// A method of an observer, applied to it.
@frozen @usableFromInline
struct ActionHandler<each Argument> {
    @usableFromInline let call: (repeat each Argument) -> Void

    @frozen @usableFromInline
    struct Isolated {
        @usableFromInline let call: @isolated(any) (repeat each Argument) -> Void

        @inlinable
        init(_ action: @escaping @isolated(any) (repeat each Argument) -> Void) { call = action }
    }

    @inlinable
    init(_ action: @escaping @isolated(any) (repeat each Argument) -> Void) {
        self = unsafe unsafeBitCast(Isolated(action), to: Self.self)
    }
}

/// What a binding makes of a value.
struct Transform<Value, Output> {
    let call: (Value) -> Output

    private struct Isolated {
        let call: @isolated(any) (Value) -> Output
    }

    init(_ transform: @escaping @isolated(any) (Value) -> Output) {
        self = unsafe unsafeBitCast(Isolated(call: transform), to: Self.self)
    }
}
