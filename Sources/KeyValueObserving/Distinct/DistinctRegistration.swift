// Registrations that are called with values that differ from the last one.

/// A registration with a handler that is called only with a value that differs from the one it was called with before.
final class DistinctRegistration<Object: KeyValueObservable, Value>: Registration, @unchecked Sendable {
    private let call: (Object, KeyValueObservedChange<Value>) -> Void
    private let options: KeyValueObservingOptions
    private let values: DistinctValues<Value>
    private let read: (Object) -> BoxedValue
    private let skipped = Guarded(0)

    /// Creates a registration, which is called next with a value that differs from the one there is now.
    ///
    /// Once it is recorded, it is to be given the value again with ``begin(with:)``.
    ///
    /// - Parameters:
    ///   - registration: Has the handler.
    ///   - request: What was asked for.
    ///   - subject: What is observed, for a message.
    ///   - object: The object.
    ///   - read: Reads the key path of the object.
    init(
        _ registration: TypedRegistration<Object, Value>, _ request: borrowing RegistrationRequest,
        of subject: @autoclosure () -> String, in object: Object, reading read: @escaping (Object) -> BoxedValue
    ) {
        let equality = Equality<Value>(of: subject(), in: object, request.fileID, request.line)
        call = registration.handler.call
        options = request.options
        values = DistinctValues(Self.value(of: object, read), comparing: equality)
        self.read = read
        super.init()
    }

    /// Notes the value that there is now, unless the registration has been called: before it was recorded, another thread
    /// may have made a change that is not delivered to it.
    func begin(with object: Object) { values.begin(with: Self.value(of: object, read)) }

    private static func value(of object: Object, _ read: (Object) -> BoxedValue) -> Value {
        // It was made by `read`, which makes no empty ones.
        let value = Tracking.suspended { read(object) }.value(as: Value.self)
        return unsafe value.unsafelyUnwrapped
    }

    override var callCount: Int { super.callCount - skipped.withLock { $0 } }

    override var needsWholes: Bool { true }

    override func whole(of object: AnyObject) -> BoxedValue? {
        // It is the object that the registration was made on.
        Tracking.suspended { unsafe read(unsafeDowncast(object, to: Object.self)) }
    }

    /// Calls the handlers of a call site, one after the other.
    static func notify(_ message: borrowing ChangeMessage) {
        // A call site's notifier is called for its own registrations, whose type this is, and for their object.
        let change = message.change(of: Value.self)
        let object = message.object
        while let registration = message.next() {
            registration.with { registration in
                let registration = unsafe unsafeDowncast(registration, to: Self.self)
                object.with { unsafe registration.pass(change, of: unsafeDowncast($0, to: Object.self)) }
            }
        }
    }

    private func pass(_ change: KeyValueObservedChange<Value>, of object: Object) {
        if let elements = change.elements {
            if !change.isPrior {
                let whole = elements.whole?.value(as: Value.self) ?? Self.value(of: object, read)
                _ = values.replace(with: whole, always: true)
            }
            call(object, change.limited(to: options))
        } else if change.isPrior {
            // Nobody knows yet whether the values will differ.
            call(object, setting(from: values.last, to: nil, change))
        } else if let new = change.newValue {
            if let old = values.replace(with: new) {
                call(object, setting(from: old, to: new, change))
            } else {
                skipped.withLock { $0 += 1 }
            }
        } else {
            // The initial call.
            call(object, setting(from: nil, to: values.last, change))
        }
    }

    private func setting(
        from old: Value?, to new: Value?, _ change: KeyValueObservedChange<Value>
    ) -> KeyValueObservedChange<Value> {
        KeyValueObservedChange(
            kind: .setting, newValue: new, oldValue: old, elements: nil, isPrior: change.isPrior, origin: change.origin
        ).limited(to: options)
    }
}

extension RegistrationRequest {
    /// The same request for a registration of distinct values.
    borrowing func distinct<Object: KeyValueObservable, Value>(
        _: DistinctRegistration<Object, Value>
    ) -> RegistrationRequest {
        RegistrationRequest(
            options, needing: needs.union(.new), text: text, observer: observer, isolation: isolation, fileID, line,
            form: .handlersOfDistinctValues, ending: ending,
            notifier: { DistinctRegistration<Object, Value>.notify($0) })
    }
}
