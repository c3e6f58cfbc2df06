// What is reported to a tracer of a registration.

extension Registration {
    /// The registration, for a listing.
    private var registered: EngineTrace.Registered {
        EngineTrace.Registered(
            number: number, keyPath: site.name, observer: site.observer, fileID: site.fileID,
            line: site.line)
    }

    /// Reports that it was made.
    @inline(never)
    final func traceRegistration(on object: AnyObject) {
        EngineTrace.current?.noteRegistration(registered, on: object, cause: EngineTrace.cause)
    }

    /// Reports that it has ended.
    @inline(never)
    final func traceEnd() {
        EngineTrace.current?.noteEnd(of: number, callCount: callCount, cause: EngineTrace.cause) {
            registered
        }
    }

    /// Calls its handler, and reports that if the change has an event.
    @inline(__always)
    final func tracing(
        _ phase: ChangePhase, of object: AnyObject, in event: EngineTrace.EventNumber, _ call: () -> Void
    ) {
        if event.isReported, !hasEnded {
            traceCall(of: object, prior: phase == .prior, cause: event, call)
        } else {
            call()
        }
    }

    /// Reports a call of its handler, which `body` makes.
    @inline(never)
    final func traceCall(of object: AnyObject, prior isPrior: Bool, cause: EngineTrace.EventNumber, _ body: () -> Void)
    {
        guard let tracer = EngineTrace.current else { return body() }
        let event = tracer.beginDelivery(to: number, of: object, isPrior: isPrior, cause: cause) { registered }
        let count = callCount
        EngineTrace.inside(event, body)
        tracer.end(event, isSkipped: site.options.contains(.distinct) && callCount == count)
    }
}
