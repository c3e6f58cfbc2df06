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
    // What is not retained here, whoever runs it holds. What a simple change has none of lies together.
    var cursor: Cursor
    private(set) var phase = ChangePhase.change
    /// Whether deliveries around this one may be running some of its recipients.
    private(set) var mayMeetRunning = true
    /// Whether something else has to be done for each call.
    var isOneByOne = false
    /// What is delivered, unless it is a simple change.
    private(set) var mutation: Unretained<Mutation>?
    /// The transaction whose mutations are delivered one after the other.
    private(set) var transaction: Unretained<Transaction>?
    /// What changes that its handlers make leave here, retained: most deliveries have nothing to release.
    private(set) var interruption: Unretained<Interruption>?
    /// Identifies the outermost one, once somebody has asked; 0 until then.
    var number: UInt64 = 0
    /// Its event, if somebody traces.
    private(set) var event = EngineTrace.EventNumber.unreported
    private(set) var object: Unretained<AnyObject>
    private(set) var edit: Unretained<Edit>?
    private(set) var values: ChangeValues
    /// What its thread ignores while it is run.
    let ignored = IgnoredRegistrations.innermost
    /// The delivery around this one.
    let outer = ActiveDelivery.innermost

    var recipients: Unretained<Recipients> { cursor.recipients }

    /// The delivery of a simple change to recipients that were borrowed.
    init(
        to recipients: Unretained<Recipients>, of object: Unretained<AnyObject>, _ edit: Unretained<Edit>?,
        _ values: ChangeValues, event: EngineTrace.EventNumber
    ) {
        cursor = Cursor(recipients, isBorrower: true, ignored: ignored)
        self.object = object
        self.edit = edit
        self.values = values
        self.event = event
        isOneByOne = event.isReported
    }

    /// Nothing, or what a transaction has kept.
    init(of transaction: Unretained<Transaction>? = nil, number: UInt64 = 0) {
        cursor = Cursor(Unretained(.none))
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
        cursor = Cursor(recipients)
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
            cursor = Cursor(mutation.unretainedRecipients, isBorrower: mutation.areLent, upTo: newest)
            event = mutation.event
            isOneByOne = phase == .prior || isUneven || event.isReported
            if !mutation.toldSlots.isEmpty { interruption = .retained(Interruption(told: mutation.toldSlots)) }
        }
        self.object = object
        self.edit = edit
        self.values = values
        self.mutation = mutation
    }

    fileprivate mutating func goOnInTransaction() -> Bool {
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
    @inline(never)
    static func run(_ delivery: consuming Delivery) { runHere(delivery) }

    /// The same as a part of the function that calls it.
    @inline(__always)
    static func runHere(_ delivery: consuming Delivery) {
        unsafe _withUnprotectedUnsafeMutablePointer(to: &delivery) { unsafe ActiveDelivery($0).run() }
    }

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
    @inline(__always)
    fileprivate func run() {
        let outer = unsafe pointer.pointee.outer
        if outer != nil { prepareInside() }
        unsafe kvo_set_delivery(pointer)
        let tracker = Tracking.suspend()
        repeat {
            while let registration = unsafe pointer.pointee.cursor.next() {
                let slot = unsafe pointer.pointee.cursor.slot
                if unsafe pointer.pointee.isTold { continue }
                if slot > 0 {
                    callObserver(registration, in: slot)
                } else {
                    let (edit, values) = unsafe (pointer.pointee.edit, pointer.pointee.values)
                    call(registration, in: 0, unsafe pointer.pointee.object, edit, values)
                }
            }
        } while _slowPath(unsafe pointer.pointee.interruption != nil || pointer.pointee.transaction != nil) && goOn()
        Tracking.resume(tracker)
        unsafe kvo_set_delivery(outer?.pointer)
    }

    /// Goes on with what waits, with the recipients that something came before, or with the next mutation of the transaction.
    @inline(never)
    private func goOn() -> Bool {
        callWaiting()
        if access({ $0.cursor.resume() || $0.goOnInTransaction() }) { return true }
        access { $0.dropInterruption() }
        return false
    }

    /// Calls an observer of a watch, which may have been evaluated, and those after it that are of its call site.
    @inline(never)
    private func callObserver(_ registration: Unretained<Registration>, in slot: Int) {
        let (phase, edit, values) = unsafe (pointer.pointee.phase, pointer.pointee.edit, pointer.pointee.values)
        func call(_ object: Unretained<AnyObject>, _ edit: Unretained<Edit>?, _ values: ChangeValues) {
            // Making the value of a path of the property's may have run code of others.
            if !registration.with({ $0.hasEnded }) { self.call(registration, in: slot, object, edit, values) }
        }
        if let mutation = unsafe pointer.pointee.mutation {
            return mutation.with { $0.tell(slot - 1, phase, edit, values, call) }
        }
        // Of a path that ends at the property.
        unsafe pointer.pointee.watch.with { watch in
            guard let leaf = watch.leaf, let root = Unretained(watch.subject).with({ $0.root }) else { return }
            leaf.withValues(values) { call(Unretained(root), edit, $0) }
            extendLifetime(root)
        }
    }

    @inline(__always)
    private func call(
        _ registration: Unretained<Registration>, in slot: Int, _ object: Unretained<AnyObject>,
        _ edit: Unretained<Edit>?, _ values: ChangeValues
    ) {
        if _slowPath(unsafe pointer.pointee.isOneByOne) {
            return callAlone(registration, in: slot, object, edit, values)
        }
        send(.change, registration, in: slot, object, edit, values)
    }

    @inline(__always)
    private func send(
        _ phase: ChangePhase, _ registration: Unretained<Registration>, in slot: Int, _ object: Unretained<AnyObject>,
        _ edit: Unretained<Edit>?, _ values: ChangeValues
    ) {
        let cursor = unsafe _withUnprotectedUnsafeMutablePointer(to: &pointer.pointee.cursor) { unsafe $0 }
        registration.with { Unretained($0.site) }.with { site in
            let message = unsafe ChangeMessage(
                cursor: cursor, first: registration, site: Unretained(site), object: object, unretainedEdit: edit,
                phase: phase, values: values)
            site.checkIsolation(of: object.object)
            if !site.keepsTold { unsafe cursor.pointee.count(registration, in: slot) }
            site.notifier(message)
        }
    }

    /// Calls a recipient alone: some take no part, wait, or get several steps, or each call is reported.
    @inline(never)
    private func callAlone(
        _ recipient: Unretained<Registration>, in slot: Int, _ object: Unretained<AnyObject>,
        _ edit: Unretained<Edit>?, _ values: ChangeValues
    ) {
        let (phase, event, mutation) = access { ($0.phase, $0.event, $0.mutation?.object) }
        let registration = recipient.object
        let (site, number) = (registration.site, registration.number)
        guard mutation?.admits(number, in: slot) ?? true else { return }
        if phase == .prior, !site.options.contains(.prior) || !(mutation?.isFirstPrior(of: number) ?? true) { return }
        func send(_ phase: ChangePhase, _ edit: Unretained<Edit>?, _ values: ChangeValues) {
            if registration.hasEnded { return }
            if let runner = runner(of: registration) {
                return runner.wait(
                    WaitingCall(
                        registration, object.object, keep(edit?.object, values, in: slot), phase, event))
            }
            registration.tracing(phase, of: object.object, in: event) {
                access { $0.cursor.stop() }
                self.send(phase, recipient, in: slot, object, edit, values)
            }
        }
        if slot == 0, let mutation, mutation.hasSteps {
            var steps = mutation.steps(for: registration)[...]
            if site.followsElements {
                // No code of others runs before the last step.
                while steps.count > 1, let step = steps.popFirst() {
                    send(.part, step.edit.map { Unretained($0) }, step.all)
                }
            } else if site.isReentrant {
                // A change in its handler completes the rest of them.
                for step in steps.dropFirst() { wait(WaitingCall(registration, object.object, step, phase, event)) }
                steps = steps.prefix(1)
            }
            for step in steps { send(phase, step.edit.map { Unretained($0) }, step.all) }
        } else {
            send(phase, edit, values)
        }
        access { if $0.interruption?.object.waiting.isEmpty ?? true { $0.cursor.resume() } }
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
