// A change on its way to its recipients.

/// A change on its way to its recipients.
///
/// The deliveries under way on a thread form a list through the frames of `run`. A change that is about to be made on a
/// thread first completes them, outermost first (``completeAll()``). So changes reach all recipients in the order in
/// which they are made, however deeply handlers change what they observe.
package struct Delivery: ~Copyable {
    // What is not retained here, the caller of `run` holds.
    private let recipients: Unretained<Recipients>
    var cursor: RecipientsCursor
    let object: Unretained<AnyObject>
    let elements: Unretained<ElementsChange>?
    /// Those of the property.
    let values: ChangeValues
    /// What is delivered in place of one change to recipients.
    let calls: Unretained<DeliveryCalls>?
    /// The delivery around this one.
    let outer = DeliveryPlace.innermost
    /// Whether the deliveries around this one are known to be complete.
    var isOuterComplete = false
    /// Whether this is the outermost one and ``OutermostChange`` has a number for it.
    var isNumbered = false

    /// Prepares a delivery.
    ///
    /// Registrations with a number after `newestNumber` have been recorded since the change began. The caller holds what is
    /// ignored.
    init(
        to recipients: Unretained<Recipients>, borrowed isBorrowed: Bool = false, of object: Unretained<AnyObject>,
        elements: Unretained<ElementsChange>?, ignoring ignored: Unretained<IgnoredRegistrations>?,
        upTo newestNumber: RegistrationNumber = .max, _ values: ChangeValues
    ) {
        self.recipients = recipients
        cursor = RecipientsCursor(
            recipients.with { $0.registrations }, isBorrower: isBorrowed, ignored: ignored, upTo: newestNumber,
            at: recipients.with { $0.keyPath.map(Unretained.init) })
        self.object = object
        self.elements = elements
        self.values = values
        calls = nil
    }

    /// Prepares the delivery of calls, or of nothing.
    private init(_ calls: Unretained<DeliveryCalls>?) {
        recipients = Unretained(.none)
        cursor = RecipientsCursor(Recipients.none.registrations, ignored: nil, upTo: 0, at: nil)
        object = Unretained(Recipients.none)
        elements = nil
        values = .none
        self.calls = calls
    }

    /// The object that the watch of the next recipients starts at, if it lives, and what makes its values of the property's.
    @inline(__always)
    var end: (making: PathLeaf, root: AnyObject)? {
        recipients.with { [index = cursor.watch] recipients in
            guard let making = recipients.watches[index].leaf?.making else { return nil }
            return Unretained(recipients.watches[index].subject).with { $0.root }.map { (making, $0) }
        }
    }

    /// What is being delivered, for a message; nil if that is nothing.
    var subject: Subject? {
        if let calls { return calls.with { $0.last.map { Subject($0.object, $0.registration) } } }
        let registrations = recipients.with { $0.registrations }
        return registrations.count == 0 ? nil : registrations[0].with { Subject(object.object, $0) }
    }

    /// An object that changed, and a registration that is notified of it.
    struct Subject {
        let object: AnyObject
        private let site: CallSite

        init(_ object: AnyObject, _ registration: Registration) {
            self.object = object
            site = registration.site
        }

        /// What is observed.
        var name: String { site.name }
        /// The same, with the place where the registration was made.
        var description: String { "\(name) (registered at \(site.fileID):\(site.line))" }
    }
}

extension Delivery {
    /// Calls everybody who is still registered when it is their turn.
    static func run(_ delivery: consuming Delivery) {
        DeliveryPlace.with(&delivery) { place in
            if ThisThread.isDelivering, ThisThread.stackIsNearlyFull { place.trapIfEndless() }
            place.whileInnermost { place.completeRest() }
        }
    }

    /// Makes calls, in order, of those who are still registered when it is their turn.
    static func run(_ calls: [DeliveryCall], isOfTransaction: Bool = false, isNumbered: Bool = false) {
        let calls = DeliveryCalls(calls, ofTransaction: isOfTransaction)
        var delivery = Delivery(Unretained(calls))
        delivery.isNumbered = isNumbered
        run(delivery)
        withExtendedLifetime(calls) {}
    }

    /// Runs `body` as if something were being delivered on this thread.
    static func holdingPlace<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var nothing = Delivery(nil)
        return try DeliveryPlace.with(&nothing) { (place) throws(Failure) in try place.whileInnermost(body) }
    }
}
