// A change on its way to its recipients.

/// A change on its way to its recipients.
///
/// The deliveries under way on a thread form a list through the frames of `run`. A change that is about to be made on a
/// thread first completes them, outermost first (``completeAll()``). So changes reach all recipients in the order in
/// which they are made, however deeply handlers change what they observe.
package struct Delivery: ~Copyable {
    // What is not retained here, the caller of `run` holds.
    private var recipients: Unretained<Recipients>
    var cursor: RecipientsCursor
    private(set) var object: Unretained<AnyObject>
    private(set) var elements: Unretained<ElementsChange>?
    /// Those of the property.
    private(set) var values: ChangeValues
    private(set) var phase = ChangePhase.change
    /// The change, unless it is simple: it knows what the observers of watches are told.
    private(set) var change: Unretained<DeliveredChange>?
    /// Its event, if somebody traces.
    private(set) var event = EngineTrace.EventNumber.unreported
    /// Whether something else has to be done for each call.
    private(set) var isOneByOne = false
    /// The changes of a transaction that are delivered one after the other.
    private(set) var changes: Unretained<DeliveredChanges>?
    /// The delivery around this one.
    let outer = DeliveryPlace.innermost
    /// Whether the deliveries around this one are known to be complete.
    var isOuterComplete = false
    /// Whether this is the outermost one and ``OutermostChange`` has a number for it.
    var isNumbered = false

    /// Prepares the delivery of a simple change to recipients that were borrowed; the caller holds what is ignored.
    init(
        to recipients: Unretained<Recipients>, of object: Unretained<AnyObject>, _ elements: Unretained<ElementsChange>?,
        ignoring ignored: Unretained<IgnoredRegistrations>?, _ values: ChangeValues, event: EngineTrace.EventNumber
    ) {
        self.recipients = recipients
        cursor = RecipientsCursor(recipients, isBorrower: true, ignored: ignored, upTo: .max)
        self.object = object
        self.elements = elements
        self.values = values
        self.event = event
        isOneByOne = event.isReported
    }

    /// Prepares the delivery of what a transaction has kept, or of nothing.
    init(of changes: Unretained<DeliveredChanges>?, isNumbered: Bool = false) {
        recipients = Unretained(.none)
        cursor = RecipientsCursor(recipients, isBorrower: false, ignored: nil, upTo: 0)
        object = Unretained(Recipients.none)
        values = .none
        self.changes = changes
        self.isNumbered = isNumbered
    }

    /// Prepares the delivery of a change that is not simple.
    init(
        _ phase: ChangePhase, of change: DeliveredChange, _ object: Unretained<AnyObject>, _ elements: Unretained<ElementsChange>?,
        _ values: ChangeValues
    ) {
        self.init(of: nil)
        self.phase = phase
        go(to: change, object, elements, values)
    }

    /// The same for a change that was kept.
    init(of change: DeliveredChange) {
        self.init(of: nil)
        go(to: change, change.unretainedObject, change.elements.map { Unretained($0) }, change.keptValues)
    }

    private mutating func go(
        to change: DeliveredChange, _ object: Unretained<AnyObject>, _ elements: Unretained<ElementsChange>?,
        _ values: ChangeValues
    ) {
        let (newest, isUneven) = change.reach
        recipients = change.unretainedRecipients
        cursor = RecipientsCursor(recipients, isBorrower: change.areLent, ignored: nil, upTo: newest)
        self.object = object
        self.elements = elements
        self.values = values
        self.change = Unretained(change)
        event = change.event
        isOneByOne = phase == .prior || isUneven || event.isReported
    }

    /// Goes on with the next change of the transaction; false if there is none.
    mutating func advance() -> Bool {
        guard let next = changes?.with({ $0.next() }) else { return false }
        next.with { go(to: $0, $0.unretainedObject, $0.elements.map { Unretained($0) }, $0.keptValues) }
        return true
    }

    /// The watch of the next recipients.
    @inline(__always)
    var watch: Unretained<WatchRecipients> {
        recipients.with { [index = cursor.watch] in Unretained($0.watches[index]) }
    }

    /// What is being delivered, for a message; nil if that is nothing.
    var subject: Subject? {
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

    /// Runs `body` as if something were being delivered on this thread.
    static func holdingPlace<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var nothing = Delivery(of: nil)
        return try DeliveryPlace.with(&nothing) { (place) throws(Failure) in try place.whileInnermost(body) }
    }
}

extension RecipientsCursor {
    @inline(__always)
    fileprivate init(
        _ recipients: Unretained<Recipients>, isBorrower: Bool, ignored: Unretained<IgnoredRegistrations>?,
        upTo newestNumber: RegistrationNumber
    ) {
        self.init(
            recipients.with { $0.registrations }, isBorrower: isBorrower, ignored: ignored, upTo: newestNumber,
            at: recipients.with { $0.keyPath.map { Unretained($0) } })
    }
}
