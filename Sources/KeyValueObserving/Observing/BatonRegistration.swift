// A registration that shares its handler with others.

/// A registration that shares its handler with others, and hands its calls to their baton.
final class BatonRegistration<Object: KeyValueObservable, Value>: Registration, @unchecked Sendable {
    typealias Call = (Object, KeyValueObservedChange<Value>) -> Void

    private let baton: Baton
    private let call: Call
    /// Runs the checks that belong on the thread that makes the change.
    private let check: ((Object) -> Void)?

    init(sharing baton: Baton, checking check: ((Object) -> Void)? = nil, _ call: @escaping Call) {
        self.baton = baton
        self.check = check
        self.call = call
        super.init()
    }

    /// The arguments of its registration.
    static func request(
        _ options: KeyValueObservingOptions, text: String? = nil, observer: String? = nil, isolation: (any Actor)?,
        _ fileID: StaticString, _ line: UInt
    ) -> RegistrationRequest {
        RegistrationRequest(
            options, text: text, observer: observer, isolation: isolation, fileID, line,
            form: .sharedHandlers, reentrant: true,
            notifier: { notify($0) })
    }

    private static func notify(_ message: borrowing ChangeMessage) {
        let object = unsafe unsafeDowncast(message.object.object, to: Object.self)
        message.forEach(Value.self) { registration, change in
            // A call site's notifier is called only for its own registrations, which have this type, and for their
            // object.
            unsafe unsafeDowncast(registration, to: Self.self).pass(change, of: object)
        }
    }

    private func pass(_ change: KeyValueObservedChange<Value>, of object: Object) {
        check?(object)
        guard baton.take() else {
            return baton.handOver(Baton.Call(for: self, of: object) { [self] in call(object, change) })
        }
        call(object, change)
        baton.layDown()
    }
}
