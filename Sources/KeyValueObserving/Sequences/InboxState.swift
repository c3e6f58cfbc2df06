// The state of an inbox, as a pure value.

/// The waiting changes, in one order and under one policy; each registration has a lane for its last value.
///
/// All transitions run under the inbox's lock, under which no value of users may be released. Each returns the objects
/// that it removes.
struct InboxState {
    private enum Phase {
        /// The registration is being made; no change is consumed yet.
        case opening
        case open
        /// The object has died, or too many changes waited; the waiting ones are still delivered.
        case finishing
        case ended
    }

    struct Entry {
        let change: WaitingChange
        /// Whether it is the call of `.initial`.
        var isInitial = false
        /// Whether changes were dropped before it.
        var followsGap = false
        /// The registration that it belongs to.
        let lane: Int
        /// The event of its insertion, if tracing is on.
        var event = EngineTrace.EventNumber.unreported
    }

    /// The state of one registration.
    struct Lane {
        /// Whether the last delivered change is kept.
        let keepsLast: Bool
        /// The last delivered change; at first, the value at the registration.
        var last: WaitingChange?
        /// Whether changes were dropped that the next change must include: the next one added, if the newest are
        /// dropped, and otherwise the next one removed.
        var hasGap = false
        var droppedCount = 0
        var deliveredCount = 0
        var hasEnded = false
    }

    /// The first contents of a lane.
    struct Opening {
        /// The call of `.initial`, if requested.
        var initial: WaitingChange?
        /// The current value, if it may be needed.
        var value: WaitingChange?
    }

    /// The actions for the inbox after an addition.
    struct Addition {
        /// Whether to begin the delivery.
        var begins = false
        /// Whether more changes wait than the policy allows, so that no more are added.
        var overflows = false
        /// Objects to release without the lock.
        var released: (entries: ContiguousArray<Entry>, last: WaitingChange?) = ([], nil)
    }

    enum Taking {
        /// A change whose delivery begins now, whether it must be a setting of the whole value, and the one delivered
        /// before.
        case change(Entry, after: WaitingChange?, asWhole: Bool)
        /// No change waits; the delivery begins again with the next one.
        case nothing
        /// No more changes will come.
        case over
    }

    private let policy: KeyValueBufferingPolicy
    /// Whether each change is delivered with the whole value.
    private let isOfWholes: Bool
    private var phase = Phase.opening
    private var isTaking = false
    private var waiting = WaitingLine<Entry>()
    private(set) var lanes: [Lane]
    private(set) var hasOverflowed = false

    init(_ policy: KeyValueBufferingPolicy, ofWholes isOfWholes: Bool, keepingLast keepsLast: [Bool]) {
        self.policy = policy
        self.isOfWholes = isOfWholes
        lanes = keepsLast.map { Lane(keepsLast: $0) }
    }

    var hasEnded: Bool { phase == .ended }

    /// The last waiting change of a lane, or the last delivered one.
    func newest(in lane: Int) -> WaitingChange? {
        waiting.last { $0.lane == lane }?.change ?? lanes[lane].last
    }

    mutating func add(_ change: WaitingChange, in lane: Int, event: EngineTrace.EventNumber) -> Addition {
        guard phase == .opening || phase == .open, !lanes[lane].hasEnded else { return Addition() }
        let followsGap = policy.dropsNewest && lanes[lane].hasGap
        if followsGap { lanes[lane].hasGap = false }
        waiting.append(Entry(change: change, followsGap: followsGap, lane: lane, event: event))
        return afterAdding()
    }

    /// Lets the delivery begin, after the registrations were made.
    mutating func open(_ openings: [Opening?]) -> Addition {
        guard phase == .opening else { return Addition() }
        phase = .open
        for (lane, opening) in openings.enumerated().reversed() where !lanes[lane].hasEnded {
            guard let opening else {
                lanes[lane].hasEnded = true
                continue
            }
            if lanes[lane].keepsLast, lanes[lane].last == nil { lanes[lane].last = opening.value }
            guard let initial = opening.initial else { continue }
            // Another thread may have added changes while the value was read.
            waiting.prepend(Entry(change: initial, isInitial: true, lane: lane))
        }
        return afterAdding()
    }

    /// Applies the policy to the waiting changes, and lets the delivery begin.
    private mutating func afterAdding() -> Addition {
        var addition = Addition()
        if phase == .open, policy.finishes {
            while isOverfull, let rest = waiting.popLast() {
                hasOverflowed = true
                addition.released.entries.append(rest)
            }
        } else if !policy.finishes {
            while isOverfull { dropOne(&addition) }
        }
        addition.begins = begin()
        addition.overflows = hasOverflowed
        if hasOverflowed { phase = .finishing }
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

    /// Removes the change whose delivery begins now.
    mutating func take() -> Taking {
        guard phase != .ended else { return .over }
        guard var entry = waiting.popFirst() else {
            isTaking = false
            return phase == .finishing ? .over : .nothing
        }
        let (lane, last, change) = (entry.lane, lanes[entry.lane].last, entry.change)
        lanes[lane].deliveredCount += 1
        if !policy.dropsNewest, lanes[lane].hasGap {
            entry.followsGap = true
            lanes[lane].hasGap = false
        }
        if lanes[lane].keepsLast { lanes[lane].last = change.keeping() }
        let isWhole =
            entry.followsGap && !entry.isInitial || isOfWholes && change.isOfElements
            || lanes[lane].keepsLast && !change.isOfElements && !change.hasOldValue && !entry.isInitial
        return .change(entry, after: last, asWhole: isWhole)
    }

    /// Records that a removed change is not delivered after all.
    mutating func skip(in lane: Int) { lanes[lane].deliveredCount -= 1 }

    /// Lets only the waiting changes be delivered; returns whether the inbox has ended, because there are none.
    mutating func finish() -> Bool {
        guard phase == .open || phase == .opening else { return false }
        phase = .finishing
        return !isTaking
    }

    /// Ends one registration, and drops its waiting changes.
    mutating func end(lane: Int) -> Addition {
        var addition = Addition()
        addition.released = (waiting.removeAll { $0.lane == lane }, lanes[lane].last)
        end(&lanes[lane])
        return addition
    }

    private func end(_ lane: inout Lane) {
        lane.hasEnded = true
        lane.last = nil
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
