// Calls that are delivered together.

/// Calls of handlers, each with the values it is called with: what is delivered at the end of a transaction, of a change
/// that watches depend on, and before changes.
///
/// It takes part in the order of deliveries as a whole: a change that is made inside one of its handlers first completes
/// the others.
final class DeliveryBatch {
    /// One call.
    struct Call {
        let registration: Registration
        /// The object that the registration was made on.
        let object: AnyObject
        /// The property that changed, for who observes all.
        let keyPath: AnyKeyPath?
        let change: NotedChange
        let phase: ChangePhase

        init(
            registration: Registration, object: AnyObject, keyPath: AnyKeyPath?, change: NotedChange,
            _ phase: ChangePhase = .change
        ) {
            self.registration = registration
            self.object = object
            self.keyPath = keyPath
            self.change = change
            self.phase = phase
        }

        func send() {
            if change.event.isReported, !registration.hasEnded {
                registration.traceCall(of: object, prior: phase == .prior, cause: change.event) { sendUntraced() }
            } else {
                sendUntraced()
            }
        }

        private func sendUntraced() {
            ChangeMessage.send(
                to: registration, of: object, elements: change.elements, phase, at: keyPath,
                ChangeValues(old: change.old, new: change.new, whole: change.whole))
            withExtendedLifetime(change) {}
        }
    }

    private let calls: [Call]
    // Only its thread uses it.
    @safe @exclusivity(unchecked) private var index = 0
    /// Whether a transaction has changed what is delivered.
    let isOfTransaction: Bool

    init(_ calls: [Call], isOfTransaction: Bool = false) {
        self.calls = calls
        self.isOfTransaction = isOfTransaction
    }

    /// Calls in the order of the registrations.
    convenience init(sorting calls: [Call]) {
        self.init(calls.count > 1 ? calls.sorted { $0.registration.number < $1.registration.number } : calls)
    }

    /// What was called last, for a message.
    var subject: Delivery.Subject? {
        index == 0 ? nil : Delivery.Subject(calls[index - 1].object, calls[index - 1].registration)
    }

    /// Calls those who are still registered when it is their turn.
    func completeRest() {
        while index < calls.count {
            // While a handler runs, others may come back to this batch.
            index += 1
            calls[index - 1].send()
        }
    }
}

extension [DeliveryBatch.Call] {
    /// Adds the calls of those registrations that a change concerns; others keep the value that they received last.
    mutating func add(
        _ registrations: RegistrationList, of object: AnyObject, at keyPath: AnyKeyPath? = nil, _ change: NotedChange,
        keeping last: BoxedValue?
    ) {
        registrations.visit { registration in
            if change.concerned.contains(registration.number) {
                append(.init(registration: registration, object: object, keyPath: keyPath, change: change))
            } else {
                registration.pass { last }
            }
        }
    }
}
