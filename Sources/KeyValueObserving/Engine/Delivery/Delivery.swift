// Calling the recipients of a change one after the other, and the list of deliveries under way on a thread.
import CKeyValueObserving

/// A change on its way to its recipients.
///
/// The deliveries under way on a thread form a list through the frames of `run`. A change that is about to be made on a
/// thread first completes them, outermost first (``completeAll()``). So changes reach all recipients in the order in
/// which they are made, however deeply handlers change what they observe.
@usableFromInline
@safe struct Delivery: ~Copyable {
    // What is not retained here, the caller of `run` holds.
    private let recipients: Unmanaged<Recipients>
    private let object: Unmanaged<AnyObject>
    /// What the change means to the paths, in the order of the recipients' paths; null if all of them end at the
    /// property.
    private let paths: UnsafePointer<ContiguousArray<PathChange>>?
    private let elements: Unmanaged<ElementsChange>?
    private let isPrior: Bool
    /// Registrations with a later number have been recorded since the change began.
    private let newestNumber: RegistrationNumber
    /// Point to the property's value as an optional, or to the elements that leave and come.
    private let old: UnsafeRawPointer?
    private let new: UnsafeRawPointer?
    private let registrations: UnsafeMutablePointer<Unmanaged<Registration>>
    private let count: Int
    private let hasPaths: Bool
    /// The index of the next recipient.
    private var index = 0
    /// The index of the path whose recipients are being called, or -1.
    private var path = -1
    /// The last registration there that takes part.
    private var pathNewestNumber: RegistrationNumber
    /// The delivery around this one.
    private let outer: UnsafeMutablePointer<Delivery>?
    /// Whether the deliveries around this one are known to be complete.
    private var isOuterComplete = false
    /// The registrations that are not notified of the change: see ``IgnoredRegistrations``.
    private let ignored: UnsafeMutableRawPointer?
    /// What is delivered in place of one change to recipients.
    private let batch: Unmanaged<DeliveryBatch>?

    /// Prepares a delivery.
    ///
    /// - Parameters:
    ///   - recipients: Who is called.
    ///   - object: The object that changes.
    ///   - paths: What the change means to the paths; nil if all of them end at the property.
    ///   - elements: How some elements change; nil if the whole value is set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - newestNumber: The last registration that takes part.
    ///   - old: Points to the old value as an optional, or to the elements that leave.
    ///   - new: Points to the new value as an optional, or to the elements that come.
    init(
        to recipients: Unmanaged<Recipients>, of object: Unmanaged<AnyObject>,
        paths: UnsafePointer<ContiguousArray<PathChange>>? = nil, elements: Unmanaged<ElementsChange>? = nil,
        isPrior: Bool = false,
        newestNumber: RegistrationNumber = .max, old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        unsafe self.recipients = recipients
        unsafe self.object = object
        unsafe self.paths = paths
        unsafe self.elements = elements
        self.isPrior = isPrior
        self.newestNumber = newestNumber
        pathNewestNumber = newestNumber
        unsafe self.old = old
        unsafe self.new = new
        (unsafe registrations, count, hasPaths) = unsafe recipients._withUnsafeGuaranteedRef {
            unsafe ($0.registrations, $0.count, !$0.paths.isEmpty)
        }
        unsafe outer = kvo_delivery().map { unsafe $0.assumingMemoryBound(to: Delivery.self) }
        unsafe ignored = kvo_ignored()
        unsafe batch = nil
    }

    /// Prepares the delivery of a batch, or of nothing.
    private init(_ batch: Unmanaged<DeliveryBatch>?) {
        unsafe recipients = .passUnretained(.none)
        unsafe object = .passUnretained(Recipients.none)
        unsafe paths = nil
        unsafe elements = nil
        isPrior = false
        newestNumber = 0
        pathNewestNumber = 0
        unsafe old = nil
        unsafe new = nil
        (unsafe registrations, count, hasPaths) = unsafe (Recipients.none.registrations, 0, false)
        unsafe outer = kvo_delivery().map { unsafe $0.assumingMemoryBound(to: Delivery.self) }
        unsafe ignored = nil
        unsafe self.batch = batch
    }

    /// Calls those whom a batch is for.
    static func run(_ batch: DeliveryBatch) {
        unsafe run(Delivery(.passUnretained(batch)))
        withExtendedLifetime(batch) {}
    }

    /// Runs `body` as if something were being delivered on this thread.
    static func holdingPlace<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var place = unsafe Delivery(nil)
        return try unsafe withUnsafeMutablePointer(to: &place) { (place) throws(Failure) -> Result in
            unsafe kvo_set_delivery(place)
            defer { unsafe kvo_set_delivery(place.pointee.outer) }
            return try body()
        }
    }

    /// Calls everybody who is still registered when it is their turn.
    static func run(_ delivery: consuming Delivery) {
        // The delivery's address is on the thread's list exactly as long as this frame exists.
        unsafe withUnsafeMutablePointer(to: &delivery) { delivery in
            let outer = unsafe delivery.pointee.outer
            if unsafe outer != nil, ThisThread.stackIsNearlyFull { unsafe trapEndless(delivery) }
            unsafe kvo_set_delivery(delivery)
            unsafe completeRest(of: delivery)
            unsafe kvo_set_delivery(outer)
        }
    }

    /// Completes the deliveries under way on this thread, outermost first.
    @usableFromInline
    static func completeAll() {
        guard let innermost = unsafe kvo_delivery() else { return }
        unsafe complete(innermost.assumingMemoryBound(to: Delivery.self))
    }

    private static func complete(_ delivery: UnsafeMutablePointer<Delivery>) {
        if unsafe !delivery.pointee.isOuterComplete {
            if let outer = unsafe delivery.pointee.outer { unsafe complete(outer) }
            unsafe delivery.pointee.isOuterComplete = true
        }
        unsafe completeRest(of: delivery)
    }

    // While a handler runs, no access to the delivery is in progress, because the handler may come back to it. The
    // index has moved on before, so the delivery then goes on with the next recipient.

    private static func completeRest(of delivery: UnsafeMutablePointer<Delivery>) {
        Tracker.suspended {
            if let batch = unsafe delivery.pointee.batch {
                return unsafe batch.takeUnretainedValue().completeRest()
            }
            while let site = unsafe delivery.pointee.nextSite() {
                if unsafe delivery.pointee.path < 0 {
                    unsafe notify(
                        delivery, site, delivery.pointee.object, delivery.pointee.elements, delivery.pointee.old,
                        delivery.pointee.new)
                } else {
                    unsafe notifyPath(delivery, site)
                }
            }
        }
    }

    @inline(__always)
    private static func notify(
        _ delivery: UnsafeMutablePointer<Delivery>, _ site: Unmanaged<CallSite>, _ object: Unmanaged<AnyObject>,
        _ elements: Unmanaged<ElementsChange>?, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?
    ) {
        var message = unsafe ChangeMessage(
            of: delivery, to: site, object: object, elements: elements, isPrior: delivery.pointee.isPrior, old: old,
            new: new)
        unsafe site._withUnsafeGuaranteedRef { site in
            unsafe site.checkIsolation(of: object.takeUnretainedValue())
            site.notifier(&message)
        }
    }

    /// Calls the next recipients at one path.
    private static func notifyPath(_ delivery: UnsafeMutablePointer<Delivery>, _ site: Unmanaged<CallSite>) {
        let index = unsafe delivery.pointee.path
        let members = unsafe delivery.pointee.recipients._withUnsafeGuaranteedRef { $0.paths[index] }
        let change = unsafe delivery.pointee.paths.map { unsafe $0.pointee[index] }
        guard let root = change?.root ?? (change == nil ? members.core?.root : nil) else {
            return unsafe skip(in: delivery, at: site)
        }
        // Only what was asked for is worth wrapping.
        let needs = unsafe site._withUnsafeGuaranteedRef { $0.needs }
        let old = unsafe needs.contains(.old) ? delivery.pointee.old : nil
        let new = unsafe needs.contains(.new) ? delivery.pointee.new : nil
        let elements = unsafe delivery.pointee.elements
        switch change?.values ?? members.leaf.map({ .made($0) }) ?? .none {
        case .own(let old, let new):
            unsafe notify(delivery, site, .passUnretained(root), nil, pointer(to: old), pointer(to: new))
        case .made(let leaf):
            unsafe leaf.withValues(old, new) { old, new in
                unsafe notify(delivery, site, .passUnretained(root), elements, old, new)
            }
        case .madeOld(let leaf, let newValue):
            unsafe leaf.withValues(old, nil) { old, _ in
                unsafe notify(delivery, site, .passUnretained(root), nil, old, pointer(to: newValue))
            }
        case .none:
            unsafe skip(in: delivery, at: site)
        }
        withExtendedLifetime((root, change)) {}
    }

    /// Points to a value as an optional, for as long as what has it is held.
    @unsafe private static func pointer(to value: BoxedValue?) -> UnsafeRawPointer? {
        unsafe value.map { unsafe UnsafeRawPointer($0.pointer) }
    }

    /// The call site of the next recipient, whose path is noted; nil if there is none.
    @inline(__always)
    private mutating func nextSite() -> Unmanaged<CallSite>? {
        while index < count {
            if hasPaths { notePath() }
            let (isPrior, newestNumber, ignored) = unsafe (isPrior, pathNewestNumber, ignored)
            let site = unsafe registrations[index]._withUnsafeGuaranteedRef { registration -> Unmanaged<CallSite>? in
                guard unsafe registration.takesPart(inPrior: isPrior, ignored),
                    registration.number <= newestNumber
                else { return nil }
                return unsafe .passUnretained(registration.site)
            }
            if let site = unsafe site { return unsafe site }
            index &+= 1
        }
        return nil
    }

    /// Finds out the path of the next registration, and which registrations at it are part of the change.
    private mutating func notePath() {
        let index = index
        path = unsafe recipients._withUnsafeGuaranteedRef { $0.pathIndex(at: index) }
        let path = path
        let change = unsafe path < 0 ? nil : paths.map { unsafe $0.pointee[path] }
        pathNewestNumber = change?.newestNumber ?? newestNumber
    }

    /// The next recipient, if it is of the same call site and path as those before it.
    ///
    /// It is counted as called.
    static func next(
        in delivery: UnsafeMutablePointer<Delivery>, at site: Unmanaged<CallSite>
    ) -> Unmanaged<Registration>? {
        guard let registration = unsafe delivery.pointee.advance(at: site) else { return nil }
        unsafe registration._withUnsafeGuaranteedRef { $0.countCall() }
        return unsafe registration
    }

    /// Leaves out the recipients that `next` would return.
    static func skip(in delivery: UnsafeMutablePointer<Delivery>, at site: Unmanaged<CallSite>) {
        while unsafe delivery.pointee.advance(at: site) != nil {}
    }

    @inline(__always)
    private mutating func advance(at site: Unmanaged<CallSite>) -> Unmanaged<Registration>? {
        let path = path
        guard let next = unsafe nextSite(), unsafe next.toOpaque() == site.toOpaque(), self.path == path else {
            return nil
        }
        defer { index &+= 1 }
        return unsafe registrations[index]
    }

    /// Ends the program: its handlers change what they observe for ever.
    private static func trapEndless(_ delivery: UnsafeMutablePointer<Delivery>) -> Never {
        var names: [String] = []
        var next: UnsafeMutablePointer<Delivery>? = unsafe delivery
        while let delivery = unsafe next, names.count < 32 {
            if unsafe delivery.pointee.count > 0 {
                let registration = unsafe delivery.pointee.registrations[0].takeUnretainedValue()
                let site = registration.site
                let name = site.name
                if !names.contains(name) { names.append(name) }
            }
            unsafe next = delivery.pointee.outer
        }
        let type: Any.Type = unsafe type(of: delivery.pointee.object.takeUnretainedValue())
        fatalError(
            """
            An endless change: handlers of \(names.reversed().joined(separator: ", ")) set one another again and again, \
            the last time in a \(type). Have a handler set nothing if the value is what it should be.
            """)
    }
}
