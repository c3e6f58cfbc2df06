// What waits to be delivered elsewhere, as a pure value.

/// The changes that wait for one registration, and who is about to take them.
///
/// All transitions run under the inbox's lock. Values of users must not be released there, so each transition returns
/// what it takes out.
package struct InboxState<Value> {
    /// A change that waits.
    package struct Entry {
        var change: KeyValueObservedChange<Value>
        /// The whole value after a change of elements, where it may be needed.
        var whole: Value?
        /// The whole value before the change, or before the changes that were dropped before it, where it was asked for.
        var before: Value?
        /// Whether changes were dropped before it.
        var followsGap = false
    }

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
        case change(KeyValueObservedChange<Value>, released: Entry)
        /// Nothing waits: the delivery begins again with the next change.
        case nothing
        /// Nothing will come.
        case over
    }

    private let policy: KeyValueBufferingPolicy
    private let options: KeyValueObservingOptions
    /// Whether each change is delivered with the whole value.
    private let isOfWholes: Bool
    /// Whether to keep the last whole value, in case a change of elements follows.
    private let tracksWhole: Bool
    private var phase = Phase.opening
    private var isTaking = false
    private var waiting = WaitingLine<Entry>()
    /// Where the newest changes are dropped: the value before those that were, once there are any.
    private var gap: (exists: Bool, before: Value?) = (false, nil)
    private var lastWhole: Value?
    package private(set) var droppedCount = 0
    package private(set) var deliveredCount = 0

    package init(
        _ policy: KeyValueBufferingPolicy, _ options: KeyValueObservingOptions, ofWholes isOfWholes: Bool,
        trackingWhole tracksWhole: Bool
    ) {
        self.policy = policy
        self.options = options
        self.isOfWholes = isOfWholes
        self.tracksWhole = tracksWhole
    }

    package var hasEnded: Bool { phase == .ended }

    // MARK: What comes

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - whole: The whole value after it, where it may be needed.
    /// - Returns: What the inbox has to do.
    package mutating func add(_ change: KeyValueObservedChange<Value>, whole: Value?) -> Addition {
        guard phase == .opening || phase == .open else { return Addition() }
        var addition = Addition()
        let isOfElements = change.elements != nil
        var entry = Entry(
            change: change, whole: isOfElements ? whole : nil, before: isOfElements ? lastWhole : change.oldValue)
        if tracksWhole {
            addition.released.values.append(lastWhole)
            lastWhole = whole
        }
        if gap.exists {
            entry.followsGap = true
            // What was there is the old value of the change, or among what is released.
            entry.before = gap.before ?? entry.before
            gap = (false, nil)
        }
        let wasFull = isFull
        waiting.append(entry)
        if wasFull { dropOne(&addition) }
        addition.begins = begin()
        return addition
    }

    /// Lets the delivery begin: the registration has been made.
    ///
    /// - Parameters:
    ///   - initial: The call of `.initial`, which is the first, if it was asked for.
    ///   - whole: The value as it is now, where it may be needed.
    /// - Returns: What the inbox has to do.
    package mutating func open(initial: KeyValueObservedChange<Value>?, whole: Value?) -> Addition {
        guard phase == .opening else { return Addition() }
        phase = .open
        var addition = Addition()
        if tracksWhole, lastWhole == nil { lastWhole = whole }
        if let initial {
            // There may be changes already, which another thread made while the value was read.
            let wasFull = isFull
            waiting.prepend(Entry(change: initial))
            if wasFull { dropOne(&addition) }
        }
        addition.begins = begin()
        return addition
    }

    private var isFull: Bool { policy.bound.map { waiting.count >= $0 } ?? false }

    /// Drops what the policy says, of more than one that wait.
    private mutating func dropOne(_ addition: inout Addition) {
        guard let dropped = policy.dropsNewest ? waiting.popLast() : waiting.popFirst() else { return }
        droppedCount += 1
        addition.released.entries.append(dropped)
        if policy.dropsNewest {
            addition.released.values.append(gap.before)
            gap = (true, dropped.before ?? gap.before)
        } else {
            waiting.updateFirst { next in
                addition.released.values.append(next.before)
                next.follow(dropped)
            }
        }
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
        guard let entry = waiting.popFirst() else {
            isTaking = false
            return phase == .finishing ? .over : .nothing
        }
        deliveredCount += 1
        let isWhole = entry.followsGap || isOfWholes && entry.change.elements != nil
        return .change(isWhole ? setting(in: entry) : entry.change, released: entry)
    }

    /// Notes that the change that was taken last is not delivered after all.
    package mutating func skip() { deliveredCount -= 1 }

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

    /// Ends everything.
    ///
    /// - Returns: What was there, to be released without the lock.
    package mutating func end() -> Self {
        let last = self
        phase = .ended
        waiting = WaitingLine()
        gap = (false, nil)
        lastWhole = nil
        return last
    }
}

extension InboxState.Entry {
    /// Notes that a change before this one was dropped.
    fileprivate mutating func follow(_ dropped: Self) {
        followsGap = true
        // Nothing is known to have been before the first value, which is no change.
        before = dropped.before ?? before
    }
}
