// A registration whose types are known, and the functions of users that it calls.

/// A registration with its handler.
@usableFromInline
final class TypedRegistration<Object: KeyValueObservable, Value>: Registration, @unchecked Sendable {
    @usableFromInline let handler: Handler<Object, Value>

    @inlinable
    init(_ handler: @escaping @isolated(any) (Object, KeyValueObservedChange<Value>) -> Void) {
        self.handler = Handler(handler)
        super.init()
    }

    /// Calls the handlers of a call site, one after the other.
    @inlinable
    static func notify(_ message: borrowing ChangeMessage) {
        if message.areDifferent { return notifyEach(message) }
        notify(message.change(of: Value.self), message)
    }

    /// Calls them with a change.
    ///
    /// It is a function of its own so that its loop has nothing of how the change was made.
    @inlinable @inline(never)
    static func notify(_ change: KeyValueObservedChange<Value>, _ message: borrowing ChangeMessage) {
        // A call site's notifier is called for its own registrations, whose type this is, and for their object.
        let object = message.object
        message.forEachRegistration { registration in
            let handler = unsafe unsafeDowncast(registration, to: Self.self).handler.call
            object.with { unsafe handler(unsafeDowncast($0, to: Object.self), change) }
        }
    }

    /// Calls them, each with its own old value.
    @inlinable @inline(never)
    static func notifyEach(_ message: borrowing ChangeMessage) {
        let object = message.object
        message.forEachDifferent(Value.self) { registration, change in
            let handler = unsafe unsafeDowncast(registration, to: Self.self).handler.call
            object.with { unsafe handler(unsafeDowncast($0, to: Object.self), change) }
        }
    }
}

// Swift lets a function whose isolation is only known when the program runs be called with `await` alone, which a
// synchronous delivery cannot do. So the actor is noted when a handler is registered, `CallSite.checkIsolation` makes
// sure before each call that the calling code runs on it, and the function is called as one that belongs nowhere. Both
// kinds of function are called in the same way, as `MainActor.assumeIsolated` relies on, too. Structures hold the
// functions here, because Swift would wrap a function that is cast itself.

/// A handler of changes.
@frozen @usableFromInline
package struct Handler<Object: AnyObject, Value> {
    @usableFromInline package let call: (Object, KeyValueObservedChange<Value>) -> Void

    @frozen @usableFromInline
    struct Isolated {
        @usableFromInline let call: @isolated(any) (Object, KeyValueObservedChange<Value>) -> Void

        @inlinable
        init(_ handler: @escaping @isolated(any) (Object, KeyValueObservedChange<Value>) -> Void) { call = handler }
    }

    @inlinable
    package init(_ handler: @escaping @isolated(any) (Object, KeyValueObservedChange<Value>) -> Void) {
        self = unsafe unsafeBitCast(Isolated(handler), to: Self.self)
    }
}

/// A function of another form, such as a method of an observer that has been applied to it.
@frozen @usableFromInline
package struct ActionHandler<Result, each Argument> {
    @usableFromInline package let call: (repeat each Argument) -> Result

    @frozen @usableFromInline
    struct Isolated {
        @usableFromInline let call: @isolated(any) (repeat each Argument) -> Result

        @inlinable
        init(_ action: @escaping @isolated(any) (repeat each Argument) -> Result) { call = action }
    }

    @inlinable
    package init(_ action: @escaping @isolated(any) (repeat each Argument) -> Result) {
        self = unsafe unsafeBitCast(Isolated(action), to: Self.self)
    }
}
