// Changes that handlers make: what they complete first, and what waits for a handler that is running.

extension Delivery {
    /// Completes what is still to be told on this thread of what a change of a source concerns, outermost first; with nil, all
    /// that is still to be told.
    ///
    /// A registration that is running is left out: it is told when its handler has returned.
    static func complete(concerning source: Source?) {
        if !ActiveDelivery.isAnyLeft { return }
        let source = ConcernedSource(source)
        while true {
            var (found, next) = (nil as (ActiveDelivery, ActiveDelivery.Left)?, ActiveDelivery.innermost)
            while let active = next {
                if let left = active.left(for: source) { found = (active, left) }
                next = active.outer
            }
            guard let (active, left) = found else { return }
            active.complete(left)
        }
    }

    /// Completes all deliveries under way on this thread.
    package static func completeAll() { complete(concerning: nil) }

    /// Whether a delivery around this one is running one of its recipients.
    var meetsRunning: Bool {
        var next = outer
        while let active = next {
            if let running = active.running, recipients.with({ $0.include(running) }) { return true }
            next = active.outer
        }
        return false
    }
}

extension ActiveDelivery {
    /// Prepares a delivery inside another one.
    @inline(never)
    func prepareInside() {
        if ThisThread.stackIsNearlyFull { trapIfNearlyFull() }
        access { if $0.mayMeetRunning, $0.meetsRunning { $0.isOneByOne = true } }
    }

    // MARK: What is left

    /// Whether anything is still to be told on this thread.
    static var isAnyLeft: Bool {
        var next = innermost
        while let active = next {
            let isLeft = active.access { delivery in
                !delivery.cursor.isAtEnd || delivery.interruption != nil
                    || delivery.transaction?.with { $0.hasDeliveries } ?? false
            }
            if isLeft { return true }
            next = active.outer
        }
        return false
    }

    enum Left {
        /// Calls of a registration that may be called while it runs.
        case waiting
        /// Slots of what is being delivered.
        case slots(Set<Int>)
        /// Slots of a mutation of the transaction whose turn has not come.
        case mutation(Mutation, Set<Int>)
    }

    /// What is left here that a change of a source concerns.
    fileprivate func left(for source: ConcernedSource) -> Left? {
        let (recipients, interruption) = access { ($0.recipients, $0.interruption?.object) }
        if interruption?.waiting.isEmpty == false, running == nil, source.concerns(recipients) { return .waiting }
        if !access({ $0.cursor.isAtEnd }) {
            let slots = source.slots(of: recipients, without: interruption?.told ?? [], of: interruption?.only)
            if !slots.isEmpty { return .slots(slots) }
        }
        return access { $0.transaction }?.with { $0.delivery(concerning: source) }.map { .mutation($0, $1) }
    }

    /// Tells what is left here, as a delivery of its own.
    fileprivate func complete(_ left: Left) {
        IgnoredRegistrations.within(access { $0.ignored }) {
            switch left {
            case .waiting: callWaiting()
            case .slots(let slots):
                let part = Interruption(only: slots)
                access { $0.interrupt() }.told.formUnion(slots)
                Delivery.run(access { Delivery(part, leftOf: $0) })
            case .mutation(let mutation, let slots):
                mutation.toldSlots.formUnion(slots)
                Delivery.run(Delivery(keptIn: mutation, Interruption(only: slots)))
                withExtendedLifetime(mutation) {}
            }
        }
    }

    // MARK: Handlers that are running

    /// The registration whose handler it is running, unless that may be called again.
    fileprivate var running: Registration? {
        guard let current = access({ $0.cursor.current })?.object, !current.site.isReentrant else { return nil }
        return current
    }

    /// The outermost delivery around this one that is running a registration, which then has to wait.
    func runner(of registration: Registration) -> ActiveDelivery? {
        guard access({ $0.mayMeetRunning }) else { return nil }
        var (found, next) = (nil as ActiveDelivery?, outer)
        while let active = next {
            if active.running === registration { found = active }
            next = active.outer
        }
        return found
    }

    /// Has a call wait until the handler has returned that is running here.
    func wait(_ call: WaitingCall) {
        let interruption = access { $0.interrupt() }
        interruption.waiting.append(call, becauseOfLast: true)
        if interruption.waiting.isNearlyEndless {
            interruption.waiting.names.formUnion(Self.innermost?.names(upTo: self) ?? [])
            if interruption.waiting.isEndless { trapEndless(interruption.waiting.names, call.object) }
        }
    }

    /// Makes the calls that have waited for the handler that has returned.
    func callWaiting() {
        guard let interruption = access({ $0.interruption })?.object else { return }
        while let call = interruption.waiting.next() { if !call.registration.hasEnded { call.make() } }
    }

    // MARK: Without end

    /// The names of the registrations that are running, from this delivery outwards up to another one or to the last.
    func names(upTo outermost: ActiveDelivery?) -> [String] {
        var (names, next) = ([] as [String], self as ActiveDelivery?)
        while let active = next, names.count < 32 {
            let current = active.access { $0.cursor.current ?? $0.cursor.first }
            if let name = current?.with({ "\($0.site.name) (registered at \($0.site.fileID):\($0.site.line))" }),
                !names.contains(name)
            {
                names.append(name)
            }
            if outermost.map({ $0 == active }) ?? false { break }
            next = active.outer
        }
        return names
    }

    /// Ends the program: the stack is nearly full of handlers that change what others observe, unless there are none.
    private func trapIfNearlyFull() {
        let names = names(upTo: nil)
        if names.isEmpty { return }
        var (objects, next) = (Set<ObjectIdentifier>(), self as ActiveDelivery?)
        while let active = next {
            if active.access({ $0.cursor.current }) != nil {
                objects.insert(ObjectIdentifier(active.access { $0.object.object }))
            }
            next = active.outer
        }
        fatalError(
            """
            The stack is nearly full: handlers of \(names.reversed().joined(separator: ", ")) set one another's objects, one \
            inside the other, down to the \(objects.count)th, a \(TypeName.of(access { $0.object.object })). Deliver a part of \
            such a chain later, with deliver(to:) of a sequence, or give the thread a larger stack.
            """)
    }
}

/// What changes that handlers make leave at the delivery that called them.
///
/// Only the thread of the delivery uses it, and no access lasts while code of others runs.
final class Interruption {
    /// The slots that are told elsewhere.
    @safe @exclusivity(unchecked) var told: Set<Int>
    /// The only slots that are told here, if it completes another delivery.
    let only: Set<Int>?
    /// The calls that wait until the handler has returned that is running.
    @safe @exclusivity(unchecked) var waiting = WaitingCalls<WaitingCall>()

    init(told: Set<Int> = [], only: Set<Int>? = nil) {
        self.told = told
        self.only = only
    }

    /// Whether a slot is not told here any more.
    func leavesOut(_ slot: Int) -> Bool { told.contains(slot) || !(only?.contains(slot) ?? true) }
}

/// Calls that wait until a handler has returned, of which there may be no end.
struct WaitingCalls<Call> {
    private var line = WaitingLine<(call: Call, round: Int)>()
    /// How many calls, each made because of the one before, led to the one that was taken last.
    private var round = 0
    /// How many wait because of a call that was made.
    private var causedCount = 0
    /// The names of the registrations that take part, once there seems to be no end.
    var names: Set<String> = []

    var isEmpty: Bool { line.isEmpty }
    var count: Int { line.count }

    /// Adds a call, which may be made because of the one that was taken last.
    mutating func append(_ call: Call, becauseOfLast isCaused: Bool) {
        if isCaused { causedCount += 1 }
        line.append((call, isCaused ? round + 1 : 0))
    }

    /// Takes the first call.
    mutating func next() -> Call? {
        let next = line.popFirst()
        round = next?.round ?? 0
        if round > 0 { causedCount -= 1 }
        return next?.call
    }

    /// Changes in a row, each made by a handler of the one before, that are said to have no end.
    private static var mostRounds: Int { 10_000 }
    /// So many calls wait where each makes several.
    private static var mostWaiting: Int { 100_000 }

    var isNearlyEndless: Bool { round > Self.mostRounds - 16 || isTooWide }
    var isEndless: Bool { round >= Self.mostRounds || isTooWide }
    private var isTooWide: Bool { round > 16 && causedCount > Self.mostWaiting }
}

/// Ends the program: handlers set what they observe without end.
func trapEndless(_ names: Set<String>, _ object: AnyObject) -> Never {
    fatalError(
        """
        An endless change: handlers of \(names.sorted().joined(separator: ", ")) set one another again and again, the last \
        time in a \(TypeName.of(object)). Have a handler set nothing if the value is what it should be.
        """)
}

/// A call of one registration, kept until it is due.
final class WaitingCall {
    let registration: Registration
    /// The object that the registration was made on.
    let object: AnyObject
    let values: KeptValues
    let phase: ChangePhase
    let event: EngineTrace.EventNumber

    init(
        _ registration: Registration, _ object: AnyObject, _ values: KeptValues, _ phase: ChangePhase = .change,
        _ event: EngineTrace.EventNumber = .unreported
    ) {
        self.registration = registration
        self.object = object
        self.values = values
        self.phase = phase
        self.event = event
    }

    /// Makes the call.
    func make() {
        let one = Recipients(direct: RegistrationList([registration]), watches: [])
        Delivery.run(Delivery(self, to: Unretained(one)))
        withExtendedLifetime(one) {}
    }
}

/// A property that is about to change, whose watches are found when somebody asks; or everything.
final class ConcernedSource {
    private let source: Source?
    private let id: ObjectIdentifier?
    /// The watches that depend on the property.
    private lazy var watches = source?.dependents ?? []

    init(_ source: Source?) {
        self.source = source
        id = source.map { ObjectIdentifier($0) }
    }

    /// The slots that a change concerns, of those that are not told elsewhere.
    func slots(of recipients: Unretained<Recipients>, without told: Set<Int>, of only: Set<Int>?) -> Set<Int> {
        recipients.with { recipients in
            let isSame = concerns(Unretained(recipients))
            if !isSame, recipients.watches.isEmpty { return [] }
            var slots = isSame ? Set(0...recipients.watches.count) : Set(watches.compactMap { recipients.slot(of: $0) })
            slots.subtract(told)
            return only.map { slots.intersection($0) } ?? slots
        }
    }

    /// Whether it is the property of recipients, or everything.
    func concerns(_ recipients: Unretained<Recipients>) -> Bool { id == nil || recipients.with { $0.source == id } }

    /// What identifies the property, and each watch that depends on it; nil if it is everything.
    func identities() -> [ObjectIdentifier]? { id.map { [$0] + watches.map { ObjectIdentifier($0) } } }
}
