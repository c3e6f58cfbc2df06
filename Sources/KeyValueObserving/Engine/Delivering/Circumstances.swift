// What a thread was doing when it left something to another one.

/// What a thread was doing when it left something that another one may do for it.
struct Circumstances {
    private let thread = ThisThread.number
    /// The event inside which the thread was, if somebody traces.
    private let cause = EngineTrace.isOn ? EngineTrace.cause : .unreported
    /// The registrations that were not notified of its changes.
    let ignored: Set<RegistrationNumber>

    init(ignoring ignored: Set<RegistrationNumber> = IgnoredRegistrations.current) { self.ignored = ignored }

    /// Runs `body` as that thread would have; the thread itself only notes the cause.
    func restored(_ body: () -> Void) {
        func run() { if EngineTrace.isOn { EngineTrace.inside(cause, body) } else { body() } }
        if thread == ThisThread.number { run() } else { IgnoredRegistrations.replacing(ignored, run) }
    }
}
