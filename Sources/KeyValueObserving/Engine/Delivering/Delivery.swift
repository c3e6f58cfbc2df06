// Delivering a change to its recipients: the one loop that calls handlers.
import CKeyValueObserving
import Synchronization

/// The delivery of a change to its recipients, in the frame that runs it.
///
/// It is a position among the recipients, with the content for each of their slots: slot 0, the property, gets
/// `values`; the mutation has the content for observers of watches. A simple change is this and nothing else. The
/// remaining calls become a list if a change in a handler needs them, or if each call needs some work.
///
/// The deliveries under way on a thread form a list through their frames; see `ActiveDelivery`. A handler may access
/// the delivery that called it. Accesses to a delivery are therefore brief, never last while code of users runs, and
/// its cursor moves on before a handler is called.
package struct Delivery: ~Copyable {
    // The frame that runs it holds everything not retained here. Fields that a simple change does not use are together.
    var cursor: Cursor
    /// The mutation to deliver, unless it is a simple change.
    private(set) var mutation: Unretained<Mutation>?
    /// The transaction, if its mutations are delivered one after the other.
    private(set) var transaction: Unretained<Transaction>?
    /// The remaining calls as a list, retained; most deliveries have nothing to release.
    private(set) var calls: Unretained<CallList>?
    /// The number of the outermost delivery, once it was needed; 0 until then.
    var number: UInt64 = 0
    /// Its event, if tracing is on.
    private(set) var event = EngineTrace.EventNumber.unreported
    private(set) var object: Unretained<AnyObject>
    private(set) var edit: Unretained<Edit>?
    private(set) var values: ChangeValues
    /// The delivery around this one.
    let outer = ActiveDelivery.innermost

    var recipients: Unretained<Recipients> { cursor.recipients }

    /// Creates the delivery of a simple change to borrowed recipients.
    init(
        to recipients: Unretained<Recipients>, of object: Unretained<AnyObject>, _ edit: Unretained<Edit>?,
        _ values: ChangeValues, event: EngineTrace.EventNumber = .unreported
    ) {
        cursor = Cursor(recipients, isBorrower: true, ignored: IgnoredRegistrations.innermost)
        self.object = object
        self.edit = edit
        self.values = values
        self.event = event
    }

    /// Creates the delivery of a mutation.
    init(
        of mutation: Unretained<Mutation>, _ object: Unretained<AnyObject>, _ edit: Unretained<Edit>?,
        _ values: ChangeValues
    ) {
        self.init()
        go(to: mutation, object, edit, values)
    }

    /// Creates the delivery of calls, or of nothing.
    init(of calls: CallList? = nil) {
        cursor = Cursor(Unretained(.none))
        object = Unretained(Recipients.none)
        values = unsafe .none
        self.calls = calls.map { .retained($0) }
    }

    /// Creates the delivery of a transaction's mutations.
    init(of transaction: Unretained<Transaction>, number: UInt64) {
        self.init()
        self.transaction = transaction
        self.number = number
    }

    private mutating func go(
        to mutation: Unretained<Mutation>, _ object: Unretained<AnyObject>, _ edit: Unretained<Edit>?,
        _ values: ChangeValues
    ) {
        mutation.with {
            cursor = Cursor(
                $0.unretainedRecipients, isBorrower: $0.areLent, ignored: IgnoredRegistrations.innermost, upTo: $0.reach
            )
            event = $0.event
        }
        self.object = object
        self.edit = edit
        self.values = values
        self.mutation = mutation
    }

    /// Continues with the next mutation of the transaction.
    fileprivate mutating func goOnInTransaction() -> Bool {
        guard let next = transaction?.with({ $0.next() }) else { return false }
        next.with { mutation in
            mutation.withKept { go(to: Unretained(mutation), $0, $1, $2) }
        }
        if event.isReported || next.with({ $0.isUneven }) || outer != nil && meetsRunning { makeCalls() }
        return true
    }

    // MARK: The remaining calls

    /// The list of calls, created if there is none, while the recipient found last is running.
    mutating func listOfCalls() -> CallList {
        let list = calls?.object ?? CallList()
        if calls == nil { calls = .retained(list) }
        if list.running == nil { list.running = cursor.current?.object }
        return list
    }

    /// Converts the remaining recipients, and those of the transaction's later mutations, into calls.
    mutating func makeCalls() {
        let list = listOfCalls()
        guard let mutation = mutation?.object else { return makeCallsOfSimpleChange(list) }
        var calls: ContiguousArray<(call: Call, place: Int)> = []
        mutation.forEachCall(&cursor, object, edit, values) { calls.append(($0, $1)) }
        while let next = transaction?.with({ $0.next() })?.object {
            next.withKept { object, edit, values in
                var cursor = Cursor(
                    next.unretainedRecipients, ignored: IgnoredRegistrations.innermost, upTo: next.reach)
                next.forEachCall(&cursor, object, edit, values) { calls.append(($0, $1)) }
            }
        }
        // A registration made in the transaction is ordered by the first change that it takes part in.
        if transaction != nil {
            calls.sort { ($0.place, $0.call.registration.number) < ($1.place, $1.call.registration.number) }
        }
        for (call, _) in calls { list.append(call) }
    }

    private mutating func makeCallsOfSimpleChange(_ list: CallList) {
        var contents: [Int: CallContent] = [:]
        let recipients = recipients.object
        while let registration = cursor.next() {
            let slot = cursor.slot
            let content =
                contents[slot]
                ?? recipients.content(in: slot, of: object.object, edit?.object, values, event)
            contents[slot] = content
            if let content { list.append(Call(registration.object, content)) }
        }
    }

    fileprivate mutating func dropCalls() {
        unsafe calls?.unmanaged.release()
        calls = nil
    }

    // MARK: Running

    /// Runs a delivery: calls each recipient that is still registered at its turn.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - isOneByOne: Whether each call needs some work.
    @inline(never)
    static func run(_ delivery: consuming Delivery, oneByOne isOneByOne: Bool = false) {
        if isOneByOne { delivery.makeCalls() }
        runHere(delivery)
    }

    /// Runs a delivery, inlined into the caller.
    @inline(__always)
    static func runHere(_ delivery: consuming Delivery) {
        unsafe _withUnprotectedUnsafeMutablePointer(to: &delivery) { unsafe ActiveDelivery($0).run() }
    }

    /// Makes one call.
    static func make(_ call: Call) {
        let list = CallList()
        list.append(call)
        run(Delivery(of: list))
    }

    /// Runs `body` inside an empty delivery, so that `ThisThread.isDelivering` is true.
    static func withEmptyDelivery<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var nothing = Delivery()
        return try unsafe _withUnprotectedUnsafeMutablePointer(to: &nothing) {
            pointer throws(Failure) in try unsafe ActiveDelivery(pointer).whileInnermost(body)
        }
    }
}

/// A reference to a delivery under way, by its address in the frame that runs it.
@safe struct ActiveDelivery {
    let pointer: UnsafeMutablePointer<Delivery>

    /// Refers to a delivery that does not move until the current call ends.
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
                if slot > 0 {
                    callObserver(registration, in: slot)
                } else {
                    let (edit, values) = unsafe (pointer.pointee.edit, pointer.pointee.values)
                    send(.change, registration, in: 0, unsafe pointer.pointee.object, edit, values)
                }
            }
        } while _slowPath(unsafe pointer.pointee.calls != nil || pointer.pointee.transaction != nil) && goOn()
        Tracking.resume(tracker)
        unsafe kvo_set_delivery(outer?.pointer)
    }

    /// Makes the remaining calls, or continues with the next mutation.
    @inline(never)
    private func goOn() -> Bool {
        while let calls = access({ $0.calls })?.object, let call = calls.next() { make(call) }
        if access({ $0.goOnInTransaction() }) { return true }
        access { $0.dropCalls() }
        return false
    }

    /// Calls an observer of a watch, which may have been evaluated, and those after it of the same call site.
    @inline(never)
    private func callObserver(_ registration: Unretained<Registration>, in slot: Int) {
        let (edit, values) = unsafe (pointer.pointee.edit, pointer.pointee.values)
        func call(_ object: Unretained<AnyObject>, _ edit: Unretained<Edit>?, _ values: ChangeValues) {
            // Making the value of a path from the property's value may have run code of users.
            if !registration.with({ $0.hasEnded }) { send(.change, registration, in: slot, object, edit, values) }
        }
        if let mutation = unsafe pointer.pointee.mutation {
            return mutation.with { $0.withContent(of: slot - 1, edit, values, call) }
        }
        // The recipient observes a path that ends at the property.
        unsafe pointer.pointee.recipients.with { recipients in
            Unretained(recipients.watches[slot - 1]).with { entry in
                entry.withLeafValues(values) { root, values in call(root, edit, values) }
            }
        }
    }

    /// Makes a call; if a delivery around this one is running the registration, the call waits there.
    private func make(_ call: Call) {
        let (registration, content) = (call.registration, call.content)
        if let runner = runner(of: registration) { return runner.wait(Call(registration, content)) }
        registration.tracing(content.phase, of: content.object, in: content.event) {
            send(
                content.phase, Unretained(registration), in: nil, Unretained(content.object),
                content.values.edit.map { Unretained($0) }, content.values.all)
        }
        withExtendedLifetime(call) {}
    }

    /// Calls a registration and those after it of the same call site; without a slot, the registration alone.
    @inline(__always)
    private func send(
        _ phase: ChangePhase, _ registration: Unretained<Registration>, in slot: Int?, _ object: Unretained<AnyObject>,
        _ edit: Unretained<Edit>?, _ values: ChangeValues
    ) {
        let cursor = unsafe _withUnprotectedUnsafeMutablePointer(to: &pointer.pointee.cursor) { unsafe $0 }
        registration.with { Unretained($0.site) }.with { site in
            let message = unsafe ChangeMessage(
                cursor: cursor, first: registration, site: Unretained(site), object: object, unretainedEdit: edit,
                phase: phase, values: values)
            site.checkIsolation(of: object.object)
            if !site.keepsLastValue {
                if let slot {
                    unsafe cursor.pointee.count(registration, in: slot)
                } else {
                    registration.with { $0.countCall(alone: false) }
                }
            }
            site.notifier(message)
        }
    }
}

extension Delivery {
    /// The outermost change or transaction under way on a thread, including all changes by its handlers.
    package struct Outermost {
        /// A unique number, on all threads and for all time; a transaction has the number of the deliveries at its end.
        package let number: UInt64
        /// Whether it is the end of a transaction.
        package let isTransaction: Bool

        private static let lastNumber = Atomic<UInt64>(0)

        /// The outermost one on this thread; nil if nothing is being delivered and no transaction is open.
        package static var current: Outermost? {
            guard var active = ActiveDelivery.innermost else { return nil }
            while let outer = active.outer { active = outer }
            return active.access { delivery in
                if delivery.number == 0 { delivery.number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }
                return Outermost(number: delivery.number, isTransaction: delivery.transaction != nil)
            }
        }

        /// Whether a transaction is open on this thread, so that changes are delivered after it ends.
        package static var isInTransaction: Bool { Transaction.current != nil }
    }
}
