// What a thread was doing when it left something to another one.

/// What a thread was doing when it left something that another one may do for it.
struct Circumstances {
    private let thread = ThisThread.number
    /// The event inside which the thread was, if somebody traces.
    private let cause = EngineTrace.isOn ? EngineTrace.cause : .unreported
    /// The registrations that were not notified of its changes.
    private let ignored: Set<RegistrationNumber>

    init(ignoring ignored: Set<RegistrationNumber> = IgnoredRegistrations.current) { self.ignored = ignored }

    /// Runs `body` as that thread would have.
    func restored(_ body: () -> Void) { IgnoredRegistrations.replacing(ignored) { withCause(body) } }

    /// Runs `body` as that thread would have; the thread itself ignores what it ignores now.
    func restoredElsewhere(_ body: () -> Void) {
        if thread == ThisThread.number { withCause(body) } else { restored(body) }
    }

    private func withCause(_ body: () -> Void) {
        if EngineTrace.isOn { EngineTrace.inside(cause, body) } else { body() }
    }
}
