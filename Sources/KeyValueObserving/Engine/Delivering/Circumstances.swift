// The state of a thread at the moment it handed work to another one.

/// The state of a thread at the moment it handed work to another one.
struct Circumstances {
    private let thread = ThisThread.number
    /// The event inside which the thread ran, if tracing is on.
    private let cause = EngineTrace.isOn ? EngineTrace.cause : .unreported
    /// The registrations that the thread ignored.
    private let ignored: Set<RegistrationNumber>

    init(ignoring ignored: Set<RegistrationNumber> = IgnoredRegistrations.current) { self.ignored = ignored }

    /// Runs `body` as that thread would have.
    func restored(_ body: () -> Void) { IgnoredRegistrations.replacing(ignored) { withCause(body) } }

    /// Runs `body` as that thread would have, except that the thread itself keeps its own ignored registrations.
    func restoredElsewhere(_ body: () -> Void) {
        if thread == ThisThread.number { withCause(body) } else { restored(body) }
    }

    private func withCause(_ body: () -> Void) {
        if EngineTrace.isOn { EngineTrace.inside(cause, body) } else { body() }
    }
}
