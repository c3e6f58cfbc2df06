// A delivery whose calls are reported to a tracer.

/// Calls the recipients of a change one by one, and reports each call.
///
/// On the list of the thread it stands as a batch does, so that a change made inside a handler completes it from where
/// it is. Each recipient is called by a delivery of its own, as it would be by the one of all.
@safe final class TracedDelivery: DeliveryBatch {
    /// The number of the change.
    private let event: EngineTrace.EventNumber
    // What is not retained here, the caller of `run` holds.
    private let recipients: Unretained<Recipients>
    private let object: Unretained<AnyObject>
    private let reports: Unretained<PathReports>?
    private let elements: Unretained<ElementsChange>?
    private let isPrior: Bool
    private let newestNumber: RegistrationNumber
    private let values: ChangeValues
    private let ignored = IgnoredRegistrations.innermost
    private var index = 0

    /// Prepares a delivery; the parameters are those of ``Delivery``.
    private init(
        of event: EngineTrace.EventNumber, to recipients: Unretained<Recipients>, of object: Unretained<AnyObject>,
        _ reports: Unretained<PathReports>?, elements: Unretained<ElementsChange>?, isPrior: Bool,
        newestNumber: RegistrationNumber, _ values: ChangeValues
    ) {
        self.event = event
        self.recipients = recipients
        self.object = object
        self.reports = reports
        self.elements = elements
        self.isPrior = isPrior
        self.newestNumber = newestNumber
        self.values = values
        super.init([])
    }

    /// Calls everybody who is still registered when it is their turn; the parameters are those of ``Delivery``.
    static func run(
        _ event: EngineTrace.EventNumber, to recipients: Unretained<Recipients>, of object: Unretained<AnyObject>,
        _ reports: Unretained<PathReports>? = nil, elements: Unretained<ElementsChange>? = nil,
        isPrior: Bool = false, newestNumber: RegistrationNumber = .max, _ values: ChangeValues
    ) {
        Delivery.run(
            TracedDelivery(
                of: event, to: recipients, of: object, reports, elements: elements, isPrior: isPrior,
                newestNumber: newestNumber, values))
    }

    override var isOfTransaction: Bool { false }

    override var subject: Delivery.Subject? {
        let registrations = recipients.with { $0.registrations }
        return registrations.count == 0 ? nil : registrations[0].with { Delivery.Subject(object.object, $0) }
    }

    override func completeRest() {
        while index < recipients.with({ $0.registrations.count }) {
            let current = index
            // While a handler runs, others may come back to this delivery.
            index += 1
            var one = Delivery(
                to: recipients, at: current, of: object, reports, elements: elements, isPrior: isPrior,
                newestNumber: newestNumber, ignored: ignored, values)
            guard one.nextSite() != nil, let object = one.objectOfNext else { continue }
            let registration = recipients.with { $0.registrations[current].object }
            registration.traceCall(of: object, prior: isPrior, cause: event) {
                DeliveryPlace.with(&one) { $0.completeRest() }
            }
        }
    }
}
