// Registrations with types, and the handlers that they call.

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

    /// Calls the handlers with a change.
    ///
    /// It is a separate function, so that its loop is independent of how the change was made.
    @inlinable @inline(never)
    static func notify(_ change: KeyValueObservedChange<Value>, _ message: borrowing ChangeMessage) {
        // A call site's notifier is called only for its own registrations, which have this type, and for their object.
        let object = message.object
        message.forEachRegistration { registration in
            let handler = unsafe unsafeDowncast(registration, to: Self.self).handler.call
            object.with { unsafe handler(unsafeDowncast($0, to: Object.self), change) }
        }
    }

    /// Calls the handlers, each with its own old value.
    @inlinable @inline(never)
    static func notifyEach(_ message: borrowing ChangeMessage) {
        let object = message.object
        message.forEachDifferent(Value.self) { registration, change in
            let handler = unsafe unsafeDowncast(registration, to: Self.self).handler.call
            object.with { unsafe handler(unsafeDowncast($0, to: Object.self), change) }
        }
    }
}

// Swift allows a function with dynamic isolation to be called only with `await`, which a synchronous delivery cannot
// do. A registration therefore records the handler's actor, `CallSite.checkIsolation` makes sure before each call that
// the calling code runs on it, and the handler is called as a nonisolated function. Both kinds of function have the
// same calling convention, on which `MainActor.assumeIsolated` relies, too. Structures hold the functions, because
// Swift would wrap a function that is cast directly.

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
