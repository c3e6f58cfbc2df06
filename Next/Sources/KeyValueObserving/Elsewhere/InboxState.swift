// What waits to be delivered elsewhere, as a pure value.

/// The changes that wait, and who is about to take them.
///
/// Each registration that shares the inbox has a lane. What waits is in one order and under one policy; what is known of
/// values belongs to a lane.
///
/// All transitions run under the inbox's lock. Values of users must not be released there, so each transition returns
/// what it takes out.
package struct InboxState<Value> {
    private enum Phase {
        /// The registration is being made; nothing is taken yet.
        case opening
        case open
        /// The object is gone; what waits is still delivered.
        case finishing
        case ended
    }

    /// What the inbox has to do after something was added.
    package struct Addition {
        /// Whether the delivery is to begin.
        package var begins = false
        /// To be released without the lock.
        var released: (entries: ContiguousArray<Entry>, values: ContiguousArray<Value?>) = ([], [])
    }

    package enum Taking {
        /// A change whose delivery begins now, with what is to be released without the lock.
        case change(KeyValueObservedChange<Value>, released: (entry: Entry, before: Value?))
        /// Nothing waits: the delivery begins again with the next change.
        case nothing
        /// Nothing will come.
        case over
    }

    private let policy: KeyValueBufferingPolicy
    private let options: KeyValueObservingOptions
    /// Whether each change is delivered with the whole value.
    private let isOfWholes: Bool
    private var phase = Phase.opening
    private var isTaking = false
    private var waiting = WaitingLine<Entry>()
    package private(set) var lanes: [Lane]

    /// Creates an empty inbox.
    ///
    /// - Parameters:
    ///   - policy: How many changes may wait.
    ///   - options: What is delivered of each.
    ///   - isOfWholes: Whether each change is delivered with the whole value.
    ///   - tracksWholes: For each lane, whether to keep the last whole value, in case a change of elements follows.
    package init(
        _ policy: KeyValueBufferingPolicy, _ options: KeyValueObservingOptions, ofWholes isOfWholes: Bool,
        trackingWholes tracksWholes: [Bool]
    ) {
        self.policy = policy
        self.options = options
        self.isOfWholes = isOfWholes
        lanes = tracksWholes.map { Lane(tracksWhole: $0) }
    }

    package var hasEnded: Bool { phase == .ended }

    // MARK: What comes

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - whole: The whole value after it, where it may be needed.
    ///   - lane: The registration that it belongs to.
    ///   - event: The number of its event, where somebody traces.
    /// - Returns: What the inbox has to do.
    package mutating func add(
        _ change: KeyValueObservedChange<Value>, whole: Value?, in lane: Int = 0,
        event: EngineTrace.EventNumber = .unreported
    ) -> Addition {
        guard phase == .opening || phase == .open, !lanes[lane].hasEnded else { return Addition() }
        var addition = Addition()
        let isOfElements = change.elements != nil
        var entry = Entry(
            change: change, whole: isOfElements ? whole : nil,
            before: isOfElements ? lanes[lane].lastWhole : change.oldValue, lane: lane, event: event)
        if lanes[lane].tracksWhole {
            addition.released.values.append(lanes[lane].lastWhole)
            lanes[lane].lastWhole = whole
        }
        // What was there is the old value of the change, or among what is released.
        if policy.dropsNewest { _ = lanes[lane].closeGap(before: &entry) }
        waiting.append(entry)
        if isOverfull { dropOne(&addition) }
        addition.begins = begin()
        return addition
    }

    /// Lets the delivery begin: the registrations have been made.
    ///
    /// - Parameter openings: What each lane begins with; nil for one without a registration.
    /// - Returns: What the inbox has to do.
    package mutating func open(_ openings: [Opening?]) -> Addition {
        guard phase == .opening else { return Addition() }
        phase = .open
        var addition = Addition()
        var initialCount = 0
        for (lane, opening) in openings.enumerated().reversed() where !lanes[lane].hasEnded {
            guard let opening else {
                _ = lanes[lane].end()
                continue
            }
            if lanes[lane].tracksWhole, lanes[lane].lastWhole == nil { lanes[lane].lastWhole = opening.whole }
            guard let initial = opening.initial else { continue }
            // There may be changes already, which another thread made while the value was read.
            waiting.prepend(Entry(change: initial, lane: lane))
            initialCount += 1
        }
        for _ in 0..<initialCount where isOverfull { dropOne(&addition) }
        addition.begins = begin()
        return addition
    }

    private var isOverfull: Bool { policy.bound.map { waiting.count > $0 } ?? false }

    /// Drops what the policy says, of more than one that wait.
    private mutating func dropOne(_ addition: inout Addition) {
        guard let dropped = policy.dropsNewest ? waiting.popLast() : waiting.popFirst() else { return }
        addition.released.entries.append(dropped)
        addition.released.values.append(lanes[dropped.lane].drop(dropped, isNewest: policy.dropsNewest))
    }

    private mutating func begin() -> Bool {
        guard phase == .open, !isTaking, !waiting.isEmpty else { return false }
        isTaking = true
        return true
    }

    // MARK: What is taken

    /// Takes the change whose delivery begins now.
    package mutating func take() -> Taking {
        guard phase != .ended else { return .over }
        guard var entry = waiting.popFirst() else {
            isTaking = false
            return phase == .finishing ? .over : .nothing
        }
        lanes[entry.lane].deliveredCount += 1
        let before = policy.dropsNewest ? nil : lanes[entry.lane].closeGap(before: &entry)
        let isWhole = entry.followsGap || isOfWholes && entry.change.elements != nil
        return .change(isWhole ? setting(in: entry) : entry.change, released: (entry, before))
    }

    /// Notes that a change that was taken is not delivered after all.
    package mutating func skip(in lane: Int) { lanes[lane].deliveredCount -= 1 }

    /// The change as a setting of the whole.
    private func setting(in entry: Entry) -> KeyValueObservedChange<Value> {
        let new = entry.change.elements == nil ? entry.change.newValue : entry.whole
        return KeyValueObservedChange(
            kind: .setting, newValue: options.contains(.new) ? new : nil,
            oldValue: options.contains(.old) ? entry.before : nil, elements: nil, isPrior: false,
            origin: entry.change.origin)
    }

    // MARK: The end

    /// Lets what waits be delivered, and nothing after it.
    ///
    /// - Returns: Whether it has ended with that.
    package mutating func finish() -> Bool {
        guard phase == .open || phase == .opening else { return false }
        phase = .finishing
        return !isTaking
    }

    /// Ends one registration: nothing of it is delivered any more.
    ///
    /// - Parameter lane: The registration.
    /// - Returns: What was there, to be released without the lock.
    package mutating func end(lane: Int) -> Addition {
        var addition = Addition()
        addition.released.entries = waiting.removeAll { $0.lane == lane }
        addition.released.values = ContiguousArray(lanes[lane].end())
        return addition
    }

    /// Ends everything.
    ///
    /// - Returns: What was there, to be released without the lock.
    package mutating func end() -> Self {
        let last = self
        phase = .ended
        waiting = WaitingLine()
        for lane in lanes.indices { _ = lanes[lane].end() }
        return last
    }
}
