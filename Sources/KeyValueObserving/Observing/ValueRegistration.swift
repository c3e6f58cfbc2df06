// A registration that receives whole values.

/// A registration that is called with each change and, for a change of some elements, with the whole value.
///
/// It serves actions with old and new values, and observations of a collection's objects.
final class ValueRegistration<Value>: Registration, @unchecked Sendable {
    typealias Call = (_ change: KeyValueObservedChange<Value>, _ whole: Value?, _ phase: ChangePhase) -> Void

    private let call: Call

    init(_ call: @escaping Call) {
        self.call = call
        super.init()
    }

    /// The arguments of its registration.
    static func request(
        _ options: KeyValueObservingOptions, text: String? = nil, observer: String? = nil,
        isolation: (any Actor)? = nil, _ fileID: StaticString, _ line: UInt, reentrant isReentrant: Bool = false
    ) -> RegistrationRequest {
        RegistrationRequest(
            options, needing: .whole, text: text, observer: observer, isolation: isolation, fileID, line, form: .values,
            reentrant: isReentrant, notifier: { notify($0) })
    }

    private static func notify(_ message: borrowing ChangeMessage) {
        let (whole, phase) = (message.values.whole(as: Value.self), message.phase)
        message.forEach(Value.self) { registration, change in
            // A call site's notifier is called only for its own registrations, which have this type.
            unsafe unsafeDowncast(registration, to: Self.self).call(change, whole, phase)
        }
    }
}
