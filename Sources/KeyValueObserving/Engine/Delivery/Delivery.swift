// A change on its way to its recipients.

/// A change on its way to its recipients.
///
/// The deliveries under way on a thread form a list through the frames of `run`. A change that is about to be made on a
/// thread first completes them, outermost first (``completeAll()``). So changes reach all recipients in the order in
/// which they are made, however deeply handlers change what they observe.
struct Delivery: ~Copyable {
    // What is not retained here, the caller of `run` holds.
    private let recipients: Unretained<Recipients>
    private let registrations: Recipients.LentRegistrations
    private let count: Int
    let object: Unretained<AnyObject>
    /// What knows what the change means to the paths, in the order of the recipients' paths; nil if all of them end at
    /// the property.
    private let change: Unretained<PendingChange>?
    private let hasPaths: Bool
    let elements: Unretained<ElementsChange>?
    let isPrior: Bool
    /// Registrations with a later number have been recorded since the change began.
    private let newestNumber: RegistrationNumber
    /// Those of the property.
    let values: ChangeValues
    /// The registrations that are not notified of the change.
    private let ignored = IgnoredRegistrations.List.current
    /// What is delivered in place of one change to recipients.
    let batch: Unretained<DeliveryBatch>?
    /// The index of the next recipient.
    private var index = 0
    /// The index of the path whose recipients are being called, or -1.
    private(set) var path = -1
    /// The last registration there that takes part.
    private var pathNewestNumber: RegistrationNumber
    /// The delivery around this one.
    let outer = DeliveryPlace.innermost
    /// Whether the deliveries around this one are known to be complete.
    var isOuterComplete = false

    /// Prepares a delivery.
    ///
    /// - Parameters:
    ///   - recipients: Who is called.
    ///   - object: The object that changes.
    ///   - change: What knows what the change means to the paths; nil if all of them end at the property.
    ///   - elements: How some elements change; nil if the whole value is set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - newestNumber: The last registration that takes part.
    ///   - values: The property's values, or the elements that leave and come.
    init(
        to recipients: Unretained<Recipients>, of object: Unretained<AnyObject>,
        knowingPaths change: Unretained<PendingChange>? = nil, elements: Unretained<ElementsChange>? = nil,
        isPrior: Bool = false, newestNumber: RegistrationNumber = .max, _ values: ChangeValues
    ) {
        self.recipients = recipients
        (registrations, count, hasPaths) = recipients.with { ($0.registrations, $0.count, !$0.paths.isEmpty) }
        self.object = object
        self.change = change
        self.elements = elements
        self.isPrior = isPrior
        self.newestNumber = newestNumber
        pathNewestNumber = newestNumber
        self.values = values
        batch = nil
    }

    /// Prepares the delivery of a batch, or of nothing.
    private init(_ batch: Unretained<DeliveryBatch>?) {
        recipients = Unretained(.none)
        (registrations, count, hasPaths) = (Recipients.none.registrations, 0, false)
        object = Unretained(Recipients.none)
        change = nil
        elements = nil
        isPrior = false
        newestNumber = 0
        pathNewestNumber = 0
        values = .none
        self.batch = batch
    }

    // MARK: Moving on

    /// The call site of the next recipient; nil if there is none.
    @inline(__always)
    mutating func nextSite() -> Unretained<CallSite>? { nextRecipient()?.site }

    /// The next recipient, if it is of the same call site and path as those before it; the delivery moves on.
    @inline(__always)
    mutating func next(at site: Unretained<CallSite>) -> Unretained<Registration>? {
        let path = path
        guard let next = nextRecipient(), next.site == site, self.path == path else { return nil }
        index &+= 1
        return next.registration
    }

    /// The next registration that takes part, whose path is noted; nil if there is none.
    @inline(__always)
    private mutating func nextRecipient() -> (registration: Unretained<Registration>, site: Unretained<CallSite>)? {
        while index < count {
            if hasPaths { notePath() }
            let (isPrior, newestNumber, ignored) = (isPrior, pathNewestNumber, ignored)
            let registration = registrations[index]
            let site = registration.with { registration -> Unretained<CallSite>? in
                guard registration.takesPart(inPrior: isPrior, ignored), registration.number <= newestNumber else {
                    return nil
                }
                return Unretained(registration.site)
            }
            if let site { return (registration, site) }
            index &+= 1
        }
        return nil
    }

    /// Finds out the path of the next registration, and which registrations at it are part of the change.
    private mutating func notePath() {
        let index = index
        path = recipients.with { $0.pathIndex(at: index) }
        pathNewestNumber = path < 0 ? newestNumber : pathChange?.newestNumber ?? newestNumber
    }

    // MARK: What is delivered

    /// What the change means to the path whose recipients are being called; nil if the path ends at the property.
    var pathChange: PathChange? {
        let path = path
        return change?.with { $0.paths[path] }
    }

    /// That path.
    var pathMembers: Recipients.PathMembers {
        let path = path
        return recipients.with { $0.paths[path] }
    }

    /// What the first recipient observes, for a message; nil if there is none.
    var name: String? { count == 0 ? nil : registrations[0].with { $0.site.name } }
}

extension Delivery {
    /// Calls everybody who is still registered when it is their turn.
    static func run(_ delivery: consuming Delivery) {
        DeliveryPlace.with(&delivery) { place in
            if ThisThread.isDelivering, ThisThread.stackIsNearlyFull { place.trapEndless() }
            place.whileInnermost { place.completeRest() }
        }
    }

    /// Calls those whom a batch is for.
    static func run(_ batch: DeliveryBatch) {
        run(Delivery(Unretained(batch)))
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
