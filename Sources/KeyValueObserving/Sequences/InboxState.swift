// What waits to be delivered elsewhere, as a pure value.

/// The changes that wait, in one order and under one policy; each registration has a lane for what is known of values.
///
/// All transitions run under the inbox's lock, where no value of users may be released: each returns what it takes out.
struct InboxState {
    private enum Phase {
        /// The registration is being made; nothing is taken yet.
        case opening
        case open
        /// The object is gone, or too much waited; what waits is still delivered.
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
        /// The event of which it was put there, where somebody traces.
        var event = EngineTrace.EventNumber.unreported
    }

    /// What is known of one registration.
    struct Lane {
        /// Whether the change that was delivered last is kept.
        let keepsLast: Bool
        /// The change that was delivered last; at first, the value at the registration.
        var last: WaitingChange?
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
        var initial: WaitingChange?
        /// The value as it is now, where it may be needed.
        var value: WaitingChange?
    }

    /// What the inbox has to do after something was added.
    struct Addition {
        /// Whether the delivery is to begin.
        var begins = false
        /// Whether more waits than the policy lets wait, so that nothing is added any more.
        var overflows = false
        /// To be released without the lock.
        var released: (entries: ContiguousArray<Entry>, last: WaitingChange?) = ([], nil)
    }

    enum Taking {
        /// A change whose delivery begins now, as a setting of the whole if it has to be, and the one delivered before.
        case change(Entry, after: WaitingChange?, asWhole: Bool)
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
    private(set) var hasOverflowed = false

    init(_ policy: KeyValueBufferingPolicy, ofWholes isOfWholes: Bool, keepingLast keepsLast: [Bool]) {
        self.policy = policy
        self.isOfWholes = isOfWholes
        lanes = keepsLast.map { Lane(keepsLast: $0) }
    }

    var hasEnded: Bool { phase == .ended }

    /// The change of a lane that waits as the last one, or that was delivered last.
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

    /// Lets the delivery begin: the registrations have been made.
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
            // There may be changes already, which another thread made while the value was read.
            waiting.prepend(Entry(change: initial, isInitial: true, lane: lane))
        }
        return afterAdding()
    }

    /// Lets no more wait than the policy does, and the delivery begin.
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

    /// Takes the change whose delivery begins now.
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
