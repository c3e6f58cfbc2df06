// Several changes that are delivered together.

/// What is delivered at the end of a transaction: calls of handlers, each with the values it is called with.
///
/// It takes part in the order of deliveries as a whole: a change that is made inside one of its handlers first completes
/// the others.
class DeliveryBatch {
    /// One call.
    struct Step {
        let registration: Registration
        /// The object that the registration was made on.
        let object: AnyObject
        var isPrior = false
        /// How some elements changed; nil if the whole value was set.
        let elements: ElementsChange?
        /// The old value, or the elements that left.
        let old: BoxedValue?
        /// The new value, or the elements that came.
        var new: BoxedValue?
        /// The number of the change, where somebody traces.
        var event: UInt64 = 0
    }

    private let steps: [Step]
    private var index = 0

    init(_ steps: [Step]) {
        self.steps = steps
    }

    /// Whether it delivers what a transaction changed.
    var isOfTransaction: Bool { true }

    /// The step that was called last, for a message.
    var subject: Delivery.Subject? {
        index == 0 ? nil : Delivery.Subject(steps[index - 1].object, steps[index - 1].registration)
    }

    /// Calls those who are still registered when it is their turn.
    func completeRest() {
        while index < steps.count {
            let step = steps[index]
            // While a handler runs, others may come back to this batch.
            index += 1
            ChangeMessage.send(
                to: step.registration, of: step.object, elements: step.elements, isPrior: step.isPrior, old: step.old,
                new: step.new, becauseOf: step.event)
        }
    }
}
