// A registration whose types are known.

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
        while let registration = message.next() {
            registration.with { registration in
                let handler = unsafe unsafeDowncast(registration, to: Self.self).handler.call
                object.with { unsafe handler(unsafeDowncast($0, to: Object.self), change) }
            }
        }
    }

    /// Calls them, each with its own old value.
    @inlinable @inline(never)
    static func notifyEach(_ message: borrowing ChangeMessage) {
        let object = message.object
        message.forEach(Value.self) { registration, change in
            let handler = unsafe unsafeDowncast(registration, to: Self.self).handler.call
            object.with { unsafe handler(unsafeDowncast($0, to: Object.self), change) }
        }
    }
}
