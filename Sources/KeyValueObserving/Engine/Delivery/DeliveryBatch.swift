// Several changes that are delivered together.

/// What is delivered at the end of a transaction: calls of handlers, each with the values it is called with.
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

    /// What was called last, for a message.
    var subject: Delivery.Subject? {
        index == 0 ? nil : Delivery.Subject(calls[index - 1].object, calls[index - 1].registration)
    }

    /// Calls those who are still registered when it is their turn.
    func completeRest() {
        while index < calls.count {
            let next = calls[index]
            // While a handler runs, others may come back to this batch.
            index += 1
            next.send()
        }
    }
}
