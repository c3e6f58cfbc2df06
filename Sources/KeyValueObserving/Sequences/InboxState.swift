// What waits to be delivered elsewhere, as a pure value.

/// The changes that wait, in one order and under one policy; each registration has a lane for what is known of values.
///
/// All transitions run under the inbox's lock, where no value of users may be released: each returns what it takes out.
struct InboxState<Value> {
    private enum Phase {
        /// The registration is being made; nothing is taken yet.
        case opening
        case open
        /// The object is gone; what waits is still delivered.
        case finishing
        case ended
    }

    struct Entry {
        var change: KeyValueObservedChange<Value>
        /// The whole value after a change of elements, where it may be needed.
        var whole: Value?
        /// Whether it is the call of `.initial`.
        var isInitial = false
        /// Whether changes were dropped before it.
        var followsGap = false
        /// The registration that it belongs to.
        let lane: Int
        /// The event of which it was put there, where somebody traces.
        var event = EngineTrace.EventNumber.unreported

        var isOfElements: Bool { change.kind != .setting }
        /// The value after it, if that is known.
        var valueAfter: Value? { isOfElements ? whole : change.newValue }
    }

    /// What is known of one registration.
    struct Lane {
        /// Whether the value that was delivered last is kept.
        let keepsLastValue: Bool
        /// The value that was delivered last; at first, the one at the registration.
        var lastValue: Value?
        /// Whether changes were dropped that the next one makes up for: the next that comes, where the newest are
        /// dropped, and otherwise the next that is taken.
        var hasGap = false
        var droppedCount = 0
        var deliveredCount = 0
        var hasEnded = false
    }

    /// What a lane begins with.
    struct Opening {
        /// The call of `.initial`, if it was asked for.
        var initial: KeyValueObservedChange<Value>?
        /// The value as it is now, where it may be needed.
        var value: Value?
    }

    /// What the inbox has to do after something was added.
    struct Addition {
        /// Whether the delivery is to begin.
        var begins = false
        /// To be released without the lock.
        var released: (entries: ContiguousArray<Entry>, values: ContiguousArray<Value?>) = ([], [])
    }

    enum Taking {
        /// A change whose delivery begins now, as a whole if it has to be, and the value that was delivered before.
        case change(KeyValueObservedChange<Value>, of: Entry, lastValue: Value?)
        /// Nothing waits: the delivery begins again with the next change.
        case nothing
        /// Nothing will come.
        case over
    }

    private let policy: KeyValueBufferingPolicy
    /// Whether each change is delivered with the whole value.
    private let isOfWholes: Bool
    private var phase = Phase.opening
    private var isTaking = false
    private var waiting = WaitingLine<Entry>()
    private(set) var lanes: [Lane]

    init(_ policy: KeyValueBufferingPolicy, ofWholes isOfWholes: Bool, keepingLastValue keepsLastValue: [Bool]) {
        self.policy = policy
        self.isOfWholes = isOfWholes
        lanes = keepsLastValue.map { Lane(keepsLastValue: $0) }
    }

    var hasEnded: Bool { phase == .ended }

    mutating func add(
        _ change: KeyValueObservedChange<Value>, whole: Value?, in lane: Int, event: EngineTrace.EventNumber
    ) -> Addition {
        guard phase == .opening || phase == .open, !lanes[lane].hasEnded else { return Addition() }
        var addition = Addition()
        let followsGap = policy.dropsNewest && lanes[lane].hasGap
        if followsGap { lanes[lane].hasGap = false }
        let whole = change.kind == .setting ? nil : whole
        waiting.append(Entry(change: change, whole: whole, followsGap: followsGap, lane: lane, event: event))
        if isOverfull { dropOne(&addition) }
        addition.begins = begin()
        return addition
    }

    /// Lets the delivery begin: the registrations have been made.
    mutating func open(_ openings: [Opening?]) -> Addition {
        guard phase == .opening else { return Addition() }
        phase = .open
        var addition = Addition()
        for (lane, opening) in openings.enumerated().reversed() where !lanes[lane].hasEnded {
            guard let opening else {
                lanes[lane].hasEnded = true
                continue
            }
            if lanes[lane].keepsLastValue, lanes[lane].lastValue == nil { lanes[lane].lastValue = opening.value }
            guard let initial = opening.initial else { continue }
            // There may be changes already, which another thread made while the value was read.
            waiting.prepend(Entry(change: initial, isInitial: true, lane: lane))
        }
        while isOverfull { dropOne(&addition) }
        addition.begins = begin()
        return addition
    }

    private var isOverfull: Bool { policy.bound.map { waiting.count > $0 } ?? false }

    private mutating func dropOne(_ addition: inout Addition) {
        guard let dropped = policy.dropsNewest ? waiting.popLast() : waiting.popFirst() else { return }
        addition.released.entries.append(dropped)
        lanes[dropped.lane].droppedCount += 1
        lanes[dropped.lane].hasGap = true
    }

    private mutating func begin() -> Bool {
        guard phase == .open, !isTaking, !waiting.isEmpty else { return false }
        isTaking = true
        return true
    }

    /// Takes the change whose delivery begins now.
    mutating func take() -> Taking {
        guard phase != .ended else { return .over }
        guard var entry = waiting.popFirst() else {
            isTaking = false
            return phase == .finishing ? .over : .nothing
        }
        let (lane, lastValue) = (entry.lane, lanes[entry.lane].lastValue)
        lanes[lane].deliveredCount += 1
        if !policy.dropsNewest, lanes[lane].hasGap {
            entry.followsGap = true
            lanes[lane].hasGap = false
        }
        if lanes[lane].keepsLastValue { lanes[lane].lastValue = entry.valueAfter }
        let isWhole =
            entry.followsGap && !entry.isInitial || isOfWholes && entry.isOfElements
            || lanes[lane].keepsLastValue && !entry.isOfElements && entry.change.oldValue == nil && !entry.isInitial
        guard isWhole else { return .change(entry.change, of: entry, lastValue: lastValue) }
        let setting = KeyValueObservedChange(
            kind: .setting, newValue: entry.valueAfter, oldValue: lastValue, edit: nil, isPrior: false,
            origin: entry.change.origin)
        return .change(setting, of: entry, lastValue: lastValue)
    }

    /// Notes that a change that was taken is not delivered after all.
    mutating func skip(in lane: Int) { lanes[lane].deliveredCount -= 1 }

    /// Lets what waits be delivered, and nothing after it; returns whether it has ended with that.
    mutating func finish() -> Bool {
        guard phase == .open || phase == .opening else { return false }
        phase = .finishing
        return !isTaking
    }

    /// Ends one registration: nothing of it is delivered any more.
    mutating func end(lane: Int) -> Addition {
        var addition = Addition()
        addition.released.entries = waiting.removeAll { $0.lane == lane }
        addition.released.values = [lanes[lane].lastValue]
        end(&lanes[lane])
        return addition
    }

    private func end(_ lane: inout Lane) {
        lane.hasEnded = true
        lane.lastValue = nil
    }

    /// Ends everything.
    mutating func end() -> Self {
        let last = self
        phase = .ended
        waiting = WaitingLine()
        for lane in lanes.indices { end(&lanes[lane]) }
        return last
    }
}
