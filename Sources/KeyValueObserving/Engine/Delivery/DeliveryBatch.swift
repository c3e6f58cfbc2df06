// Several changes that are delivered together.

/// What is delivered at the end of a transaction: calls of handlers, each with the values it is called with.
///
/// It takes part in the order of deliveries as a whole: a change that is made inside one of its handlers first completes
/// the others.
class DeliveryBatch {
    /// One call.
    struct Call {
        let registration: Registration
        /// The object that the registration was made on.
        let object: AnyObject
        let change: NotedChange
        let isPrior: Bool
        /// The number of the change, where somebody traces.
        var event = EngineTrace.EventNumber.unreported

        init(_ registration: Registration, _ object: AnyObject, _ change: NotedChange, isPrior: Bool = false) {
            self.registration = registration
            self.object = object
            self.change = change.delivered(to: registration)
            self.isPrior = isPrior
        }

        func send() {
            ChangeMessage.send(
                to: registration, of: object, elements: change.elements, isPrior: isPrior, old: change.old,
                new: change.new, becauseOf: event)
        }
    }

    private let calls: [Call]
    private var index = 0

    init(_ calls: [Call]) {
        self.calls = calls
    }

    /// Whether it delivers what a transaction changed.
    var isOfTransaction: Bool { true }

    /// What was called last, for a message.
    var subject: Delivery.Subject? {
        index == 0 ? nil : Delivery.Subject(calls[index - 1].object, calls[index - 1].registration)
    }

    /// Calls those who are still registered when it is their turn.
    func completeRest() {
        // The array is held here, so that references to what is in it need not be counted.
        let held = calls
        let calls = held.span
        while index < calls.count {
            let next = index
            // While a handler runs, others may come back to this batch.
            index += 1
            calls[next].send()
        }
    }
}
