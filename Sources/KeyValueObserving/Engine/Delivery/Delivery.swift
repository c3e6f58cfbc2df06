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
    /// What the change means to the watches; nil if all of them end at the property.
    private let reports: Unretained<WatchReports>?
    let elements: Unretained<ElementsChange>?
    /// Registrations with a later number have been recorded since the change began.
    private let newestNumber: RegistrationNumber
    /// Those of the property.
    let values: ChangeValues
    /// What is delivered in place of one change to recipients.
    let batch: Unretained<DeliveryBatch>?
    /// The delivery around this one.
    let outer = DeliveryPlace.innermost
    /// Whether the deliveries around this one are known to be complete.
    var isOuterComplete = false
    /// Whether this is the outermost one and ``OutermostChange`` has a number for it.
    var isNumbered = false

    /// Prepares a delivery.
    ///
    /// `reports` is nil if all watches end at the property, and the recipients are borrowed. The caller holds what is ignored.
    init(
        to recipients: Unretained<Recipients>, of object: Unretained<AnyObject>,
        _ reports: Unretained<WatchReports>? = nil, elements: Unretained<ElementsChange>? = nil,
        isPrior: Bool = false, ignoring ignored: Unretained<IgnoredRegistrations>? = IgnoredRegistrations.innermost,
        newestNumber: RegistrationNumber = .max, _ values: ChangeValues
    ) {
        self.recipients = recipients
        cursor = RecipientsCursor(
            recipients.with { $0.registrations }, isBorrower: reports == nil, isPrior: isPrior,
            ignored: ignored, upTo: newestNumber,
            at: recipients.with { $0.keyPath.map(Unretained.init) })
        self.object = object
        self.reports = reports
        self.elements = elements
        self.newestNumber = newestNumber
        self.values = values
        batch = nil
    }

    /// Prepares the delivery of a batch, or of nothing.
    private init(_ batch: Unretained<DeliveryBatch>?) {
        recipients = Unretained(.none)
        cursor = RecipientsCursor(Recipients.none.registrations, isPrior: false, ignored: nil, upTo: 0, at: nil)
        object = Unretained(Recipients.none)
        reports = nil
        elements = nil
        newestNumber = 0
        values = .none
        self.batch = batch
    }

    // MARK: Moving on

    /// The call site of the next recipient, at whatever watch; nil if there is none.
    @inline(__always)
    mutating func nextSite() -> Unretained<CallSite>? {
        while let watch = cursor.nextWatch {
            if watch != cursor.watch { enter(watch) }
            if let site = cursor.nextSite() { return site }
        }
        return nil
    }

    private mutating func enter(_ watch: Int) {
        let newest = watch < 0 ? nil : reports?.with { $0.newest(at: watch) }
        cursor.enter(watch, upTo: newest ?? newestNumber)
    }

    /// What the observers of the watch are called with that is next.
    var report: WatchReport? {
        let (index, isPrior, isOfElements) = (cursor.watch, cursor.isPrior, elements != nil)
        return recipients.with { recipients in
            reports?.with { $0.report(index, of: recipients, isPrior: isPrior, ofElements: isOfElements) }
        }
    }

    /// How the values of the watch that is next are made, and the object that it starts at, if no watch was evaluated.
    @inline(__always)
    var end: (making: PathLeaf, root: AnyObject)? {
        guard reports == nil else { return nil }
        return recipients.with { [index = cursor.watch] recipients in
            guard let making = recipients.watches[index].leaf?.making else { return nil }
            return Unretained(recipients.watches[index].subject).with { $0.root }.map { (making, $0) }
        }
    }

    /// What is being delivered, for a message; nil if that is nothing.
    var subject: Subject? {
        if let batch { return batch.with { $0.subject } }
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

    /// Calls those whom a batch is for.
    static func run(_ batch: DeliveryBatch, isNumbered: Bool = false) {
        var delivery = Delivery(Unretained(batch))
        delivery.isNumbered = isNumbered
        run(delivery)
        withExtendedLifetime(batch) {}
    }

    /// Runs `body` as if something were being delivered on this thread.
    static func holdingPlace<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var nothing = Delivery(nil)
        return try DeliveryPlace.with(&nothing) { (place) throws(Failure) in try place.whileInnermost(body) }
    }
}
