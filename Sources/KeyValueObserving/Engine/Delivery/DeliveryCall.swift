// Calls of handlers, each with its own values.

/// A call of a handler, with the values it is called with.
///
/// Calls are what is delivered at the end of a transaction, of a change that watches depend on, and before changes.
struct DeliveryCall {
    let registration: Registration
    /// The object that the registration was made on.
    let object: AnyObject
    /// The property that changed, for who observes all.
    var keyPath: AnyKeyPath?
    let change: NotedChange
    var phase = ChangePhase.change

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

/// Calls that are delivered in order, and how many of them have begun.
///
/// They take part in the order of deliveries as a whole: a change that is made inside one of the handlers first completes
/// the others. Only their thread uses them.
final class DeliveryCalls {
    private let all: [DeliveryCall]
    // No access lasts while code of others runs.
    @safe @exclusivity(unchecked) private var count = 0
    /// Whether a transaction has changed what is delivered.
    let areOfTransaction: Bool

    init(_ calls: [DeliveryCall], ofTransaction areOfTransaction: Bool) {
        all = calls
        self.areOfTransaction = areOfTransaction
    }

    /// The call that began last.
    var last: DeliveryCall? { count == 0 ? nil : all[count - 1] }

    /// Makes those that are left; while a handler runs, others may come back here.
    func complete() {
        while count < all.count {
            count += 1
            all[count - 1].send()
        }
    }
}

extension [DeliveryCall] {
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

    /// In the order of the registrations.
    var sortedByRegistration: Self {
        count > 1 ? sorted { $0.registration.number < $1.registration.number } : self
    }
}
