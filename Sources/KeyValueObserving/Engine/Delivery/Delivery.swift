// A change on its way to its recipients: the one loop that calls handlers.
import CKeyValueObserving
import Synchronization

/// A change on its way to its recipients, in the frame that runs it.
///
/// It is a place among recipients, and what each of their slots is told: slot 0, the property, is told `values`; what the
/// observers of watches are told is known to the mutation. A simple change is this and nothing else.
///
/// The deliveries under way on a thread form a list through their frames, see `ActiveDelivery`. A handler may come back to
/// the delivery that called it: so a delivery is accessed for moments only, never while code of others runs, and its cursor
/// has moved on before a handler is called.
package struct Delivery: ~Copyable {
    // What is not retained here, whoever runs it holds.
    private(set) var recipients: Unretained<Recipients>
    var cursor: Cursor
    private(set) var object: Unretained<AnyObject>
    private(set) var edit: Unretained<Edit>?
    private(set) var values: ChangeValues
    private(set) var phase = ChangePhase.change
    /// What is delivered, unless it is a simple change.
    private(set) var mutation: Unretained<Mutation>?
    /// Its event, if somebody traces.
    private(set) var event = EngineTrace.EventNumber.unreported
    /// Whether something else has to be done for each call.
    var isOneByOne = false
    /// Whether deliveries around this one may be running some of its recipients.
    private(set) var mayMeetRunning = true
    /// The transaction whose mutations are delivered one after the other.
    private(set) var transaction: Unretained<Transaction>?
    /// What changes that its handlers make leave here, retained: most deliveries have nothing to release.
    private(set) var interruption: Unretained<Interruption>?
    /// What its thread ignores while it is run.
    let ignored = IgnoredRegistrations.innermost
    /// The delivery around this one.
    let outer = ActiveDelivery.innermost
    /// Identifies the outermost one, once somebody has asked; 0 until then.
    var number: UInt64 = 0

    /// The delivery of a simple change to recipients that were borrowed.
    init(
        to recipients: Unretained<Recipients>, of object: Unretained<AnyObject>, _ edit: Unretained<Edit>?,
        _ values: ChangeValues, event: EngineTrace.EventNumber
    ) {
        self.recipients = recipients
        cursor = recipients.with { [ignored] in
            Cursor($0.members, isBorrower: true, ignored: ignored)
        }
        self.object = object
        self.edit = edit
        self.values = values
        self.event = event
        isOneByOne = event.isReported
    }

    /// Nothing, or what a transaction has kept.
    init(of transaction: Unretained<Transaction>? = nil, number: UInt64 = 0) {
        recipients = Unretained(.none)
        cursor = recipients.with { Cursor($0.members) }
        object = Unretained(Recipients.none)
        values = unsafe .none
        self.transaction = transaction
        self.number = number
    }

    /// The delivery of a mutation.
    init(
        _ phase: ChangePhase, of mutation: Unretained<Mutation>, _ object: Unretained<AnyObject>,
        _ edit: Unretained<Edit>?,
        _ values: ChangeValues
    ) {
        self.init()
        self.phase = phase
        go(to: mutation, object, edit, values)
    }

    /// What was kept in a mutation: all of it, or some slots.
    init(keptIn mutation: Mutation, _ part: Interruption? = nil) {
        self.init(
            .change, of: Unretained(mutation), mutation.unretainedObject, mutation.edit.map { Unretained($0) },
            mutation.keptValues)
        if let part {
            dropInterruption()
            interruption = .retained(part)
        }
    }

    /// What is left of another delivery for some of the slots.
    init(_ part: Interruption, leftOf other: borrowing Delivery) {
        recipients = other.recipients
        cursor = other.cursor
        object = other.object
        edit = other.edit
        values = other.values
        phase = other.phase
        mutation = other.mutation
        event = other.event
        isOneByOne = other.isOneByOne
        cursor.resume()
        interruption = .retained(part)
    }

    /// One call.
    init(_ call: WaitingCall, to recipients: Unretained<Recipients>) {
        self.recipients = recipients
        cursor = recipients.with { Cursor($0.members) }
        object = Unretained(call.object)
        edit = call.values.edit.map { Unretained($0) }
        values = call.values.all
        phase = call.phase
        event = call.event
        isOneByOne = phase != .change || event.isReported
        mayMeetRunning = false
    }

    private mutating func go(
        to mutation: Unretained<Mutation>, _ object: Unretained<AnyObject>, _ edit: Unretained<Edit>?,
        _ values: ChangeValues
    ) {
        mutation.with { mutation in
            let (newest, isUneven) = mutation.reach
            recipients = mutation.unretainedRecipients
            cursor = recipients.with {
                Cursor($0.members, isBorrower: mutation.areLent, upTo: newest)
            }
            event = mutation.event
            isOneByOne = phase == .prior || isUneven || event.isReported
            if !mutation.toldSlots.isEmpty { interruption = .retained(Interruption(told: mutation.toldSlots)) }
        }
        self.object = object
        self.edit = edit
        self.values = values
        self.mutation = mutation
    }

    /// Goes on where the recipients came to an end: with those that something came before, or with the next mutation of the
    /// transaction.
    @inline(__always)
    mutating func goOn() -> Bool { cursor.resume() || transaction != nil && goOnInTransaction() }

    private mutating func goOnInTransaction() -> Bool {
        guard let next = transaction?.with({ $0.nextDelivery() }) else { return false }
        dropInterruption()
        next.with { go(to: Unretained($0), $0.unretainedObject, $0.edit.map { Unretained($0) }, $0.keptValues) }
        if outer != nil { isOneByOne = isOneByOne || meetsRunning }
        return true
    }

    /// Whether the recipients found last are told this elsewhere.
    @inline(__always)
    var isTold: Bool {
        if _fastPath(interruption == nil) { return false }
        return interruption?.object.leavesOut(cursor.slot) ?? false
    }

    /// The watch of the recipients found last.
    @inline(__always)
    var watch: Unretained<WatchSlot> {
        recipients.with { [index = cursor.slot - 1] in Unretained($0.watches[index]) }
    }

    /// Has something come before the recipients that are left.
    mutating func interrupt() -> Interruption {
        cursor.stop()
        if let interruption { return interruption.object }
        let new = Interruption()
        interruption = .retained(new)
        return new
    }

    mutating func dropInterruption() {
        unsafe interruption?.unmanaged.release()
        interruption = nil
    }

    /// Runs it: calls everybody who is still registered when it is their turn.
    static func run(_ delivery: consuming Delivery) { unsafe ActiveDelivery(&delivery).run() }

    /// Runs `body` as if something were being delivered on this thread.
    static func holdingPlace<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var nothing = Delivery()
        return try unsafe ActiveDelivery(&nothing).whileInnermost(body)
    }
}

/// A delivery under way, by its address in the frame that runs it.
@safe struct ActiveDelivery {
    let pointer: UnsafeMutablePointer<Delivery>

    /// A delivery that stays where it is until the call ends that this is made for.
    @unsafe fileprivate init(_ pointer: UnsafeMutablePointer<Delivery>) {
        unsafe self.pointer = pointer
    }

    @inline(__always)
    func access<Result: ~Copyable>(_ body: (inout Delivery) -> Result) -> Result { unsafe body(&pointer.pointee) }

    /// The innermost delivery under way on this thread.
    static var innermost: ActiveDelivery? {
        guard let delivery = unsafe kvo_delivery() else { return nil }
        return unsafe ActiveDelivery(delivery.assumingMemoryBound(to: Delivery.self))
    }

    static func == (left: Self, right: Self) -> Bool { unsafe left.pointer == right.pointer }

    /// The delivery around this one.
    var outer: ActiveDelivery? { access { $0.outer } }

    /// Runs `body` with this as the innermost delivery of the thread.
    fileprivate func whileInnermost<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe kvo_set_delivery(pointer)
        defer { unsafe kvo_set_delivery(outer?.pointer) }
        return try body()
    }

    /// Calls the recipients.
    fileprivate func run() {
        let outer = unsafe pointer.pointee.outer
        if outer != nil { prepareInside() }
        unsafe kvo_set_delivery(pointer)
        let tracker = Tracking.suspend()
        repeat {
            while let site = unsafe pointer.pointee.cursor.nextSite() {
                let (slot, isTold) = unsafe (pointer.pointee.cursor.slot, pointer.pointee.isTold)
                if isTold {
                    skip(site)
                } else if slot == 0 {
                    let (object, edit, values) = unsafe (
                        pointer.pointee.object, pointer.pointee.edit, pointer.pointee.values
                    )
                    call(site, object, edit, values)
                } else if let mutation = unsafe pointer.pointee.mutation {
                    callObserversOfWatch(site, mutation)
                } else {
                    callObserversOfEnd(site)
                }
            }
            if _slowPath(unsafe pointer.pointee.interruption != nil) { callWaiting() }
        } while unsafe pointer.pointee.goOn()
        if _slowPath(unsafe pointer.pointee.interruption != nil) { unsafe pointer.pointee.dropInterruption() }
        Tracking.resume(tracker)
        unsafe kvo_set_delivery(outer?.pointer)
    }

    /// Calls the observers of a path that ends at the property.
    @inline(__always)
    private func callObserversOfEnd(_ site: Unretained<CallSite>) {
        let (edit, values, watch) = unsafe (pointer.pointee.edit, pointer.pointee.values, pointer.pointee.watch)
        watch.with { watch in
            guard let leaf = watch.leaf, let root = Unretained(watch.subject).with({ $0.root }) else {
                return skip(site)
            }
            leaf.withValues(values) { call(site, Unretained(root), edit, $0) }
            extendLifetime(root)
        }
    }

    /// Calls the observers of a watch, which may have been evaluated.
    private func callObserversOfWatch(_ site: Unretained<CallSite>, _ mutation: Unretained<Mutation>) {
        let (slot, phase, edit, values) = unsafe (
            pointer.pointee.cursor.slot, pointer.pointee.phase, pointer.pointee.edit, pointer.pointee.values
        )
        if !mutation.with({ $0.tell(slot - 1, phase, edit, values) { call(site, $0, $1, $2) } }) { skip(site) }
    }

    /// Leaves out the next recipients of a call site.
    private func skip(_ site: Unretained<CallSite>) {
        while access({ $0.cursor.next(at: site, counting: false) }) != nil {}
    }

    @inline(__always)
    private func call(
        _ site: Unretained<CallSite>, _ object: Unretained<AnyObject>, _ edit: Unretained<Edit>?, _ values: ChangeValues
    ) {
        if _slowPath(unsafe pointer.pointee.isOneByOne) { return callOneByOne(site, object, edit, values) }
        send(.change, site, object, edit, values)
    }

    @inline(__always)
    private func send(
        _ phase: ChangePhase, _ site: Unretained<CallSite>, _ object: Unretained<AnyObject>, _ edit: Unretained<Edit>?,
        _ values: ChangeValues
    ) {
        let cursor = unsafe withUnsafeMutablePointer(to: &pointer.pointee.cursor) { unsafe $0 }
        let message = unsafe ChangeMessage(to: cursor, of: site, object: object, edit: edit, phase, values)
        site.with { site in
            site.checkIsolation(of: object.object)
            site.notifier(message)
        }
    }

    /// Calls the recipients of a call site one by one: some take no part, wait, or get several steps, or each call is reported.
    private func callOneByOne(
        _ site: Unretained<CallSite>, _ object: Unretained<AnyObject>, _ edit: Unretained<Edit>?, _ values: ChangeValues
    ) {
        let (phase, event, mutation) = access { ($0.phase, $0.event, $0.mutation?.object) }
        let heldSite = site.object
        if phase == .prior, !heldSite.options.contains(.prior) { return skip(site) }
        while !access({ $0.isTold }), let registration = access({ $0.cursor.next(at: site, counting: false) })?.object {
            let (number, slot) = (registration.number, access { $0.cursor.slot })
            guard mutation?.admits(number, in: slot) ?? true else { continue }
            if phase == .prior, !(mutation?.isFirstPrior(of: number) ?? true) { continue }
            func send(_ phase: ChangePhase, _ edit: Unretained<Edit>?, _ values: ChangeValues) {
                if let runner = runner(of: registration) {
                    return runner.wait(
                        WaitingCall(
                            registration, object.object, keep(edit?.object, values, in: slot), phase, event))
                }
                registration.tracing(phase, of: object.object, in: event) {
                    access { $0.cursor.repeatCurrent() }
                    self.send(phase, site, object, edit, values)
                }
            }
            if slot == 0, let mutation, mutation.hasSteps {
                var steps = mutation.steps(for: registration)[...]
                if heldSite.followsElements {
                    // No code of others runs before the last step.
                    while steps.count > 1, let step = steps.popFirst() {
                        send(.part, step.edit.map { Unretained($0) }, step.all)
                    }
                } else if heldSite.isReentrant {
                    // A change in its handler completes the rest of them.
                    for step in steps.dropFirst() { wait(WaitingCall(registration, object.object, step, phase, event)) }
                    steps = steps.prefix(1)
                }
                for step in steps { send(phase, step.edit.map { Unretained($0) }, step.all) }
            } else {
                send(phase, edit, values)
            }
            access { if !($0.interruption?.object.hasWaiting ?? false) { $0.cursor.resume() } }
        }
        withExtendedLifetime(heldSite) {}
    }

    /// Keeps what a slot is told.
    private func keep(_ edit: Edit?, _ values: ChangeValues, in slot: Int) -> KeptValues {
        let type: Any.Type? = access { delivery in
            slot > 0 ? delivery.watch.with { $0.subject.valueType } : delivery.recipients.with { $0.valueType }
        }
        return type.map { KeptValues(edit, values, $0) } ?? KeptValues(edit)
    }
}

extension Delivery {
    /// The outermost change or transaction under way on a thread, with all that its handlers change.
    package struct Outermost {
        /// A number that no other has or had, on any thread; a transaction has that of the deliveries at its end.
        package let number: UInt64
        /// Whether it is the end of a transaction.
        package let isTransaction: Bool

        private static let lastNumber = Atomic<UInt64>(0)

        /// The one on this thread; nil if nothing is being delivered and no transaction is open.
        package static var current: Outermost? {
            guard var active = ActiveDelivery.innermost else { return nil }
            while let outer = active.outer { active = outer }
            return active.access { delivery in
                if delivery.number == 0 { delivery.number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }
                return Outermost(number: delivery.number, isTransaction: delivery.transaction != nil)
            }
        }

        /// Whether a transaction is open on this thread, so that changes are not delivered before it ends.
        package static var isInTransaction: Bool { Transaction.current != nil }
    }
}
