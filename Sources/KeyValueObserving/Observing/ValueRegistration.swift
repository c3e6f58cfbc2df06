// A registration that is called with old and new values.

/// A registration that receives only settings: for a change of some elements, the old and the new whole value.
final class ValueRegistration<Value>: Registration, @unchecked Sendable {
    typealias Call = (_ change: KeyValueObservedChange<Value>, _ phase: ChangePhase) -> Void

    private let call: Call

    init(_ call: @escaping Call) {
        self.call = call
        super.init()
    }

    /// The arguments of its registration.
    static func request(
        _ options: KeyValueObservingOptions, text: String? = nil, observer: String? = nil,
        isolation: (any Actor)? = nil, _ fileID: StaticString, _ line: UInt
    ) -> RegistrationRequest {
        RegistrationRequest(
            options, text: text, observer: observer, isolation: isolation, fileID, line, form: .values,
            notifier: { notify($0) })
    }

    private static func notify(_ message: borrowing ChangeMessage) {
        let phase = message.phase
        message.forEach(Value.self) { registration, change in
            // A call site's notifier is called only for its own registrations, which have this type.
            unsafe unsafeDowncast(registration, to: Self.self).call(change, phase)
        }
    }
}
