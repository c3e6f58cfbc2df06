// What an inbox knows of each of the registrations that share it.

extension InboxState {
    /// A change that waits.
    package struct Entry {
        var change: KeyValueObservedChange<Value>
        /// The whole value after a change of elements, where it may be needed.
        var whole: Value?
        /// The whole value before the change, or before the changes that were dropped before it, where it was asked for.
        var before: Value?
        /// Whether changes were dropped before it.
        var followsGap = false
        /// The registration that it belongs to.
        package var lane: Int
        /// The number of the event of which it was put there, where somebody traces.
        package var event = EngineTrace.EventNumber.unreported
    }

    /// What is known of one registration.
    package struct Lane {
        /// Whether to keep the last whole value, in case a change of elements follows.
        let tracksWhole: Bool
        var lastWhole: Value?
        /// Whether changes were dropped that the next one to be kept, or to be taken, has to make up for; the value before
        /// them.
        ///
        /// Where the newest are dropped, that is the next one that comes; otherwise the next one that is taken.
        fileprivate var gap: (exists: Bool, before: Value?) = (false, nil)
        package fileprivate(set) var droppedCount = 0
        package var deliveredCount = 0
        package fileprivate(set) var hasEnded = false

        init(tracksWhole: Bool) {
            self.tracksWhole = tracksWhole
        }
    }

    /// What a lane begins with.
    package struct Opening {
        /// The call of `.initial`, if it was asked for.
        var initial: KeyValueObservedChange<Value>?
        /// The value as it is now, where it may be needed.
        var whole: Value?

        package init(initial: KeyValueObservedChange<Value>? = nil, whole: Value? = nil) {
            self.initial = initial
            self.whole = whole
        }
    }
}

extension InboxState.Lane {
    /// Notes that a change is dropped.
    ///
    /// - Parameters:
    ///   - entry: The change.
    ///   - isNewest: Whether it comes after all that were dropped before, none of which has been made up for.
    /// - Returns: A value to be released without the lock.
    mutating func drop(_ entry: InboxState.Entry, isNewest: Bool) -> Value? {
        droppedCount += 1
        let known = gap.before
        // Nothing is known to have been before the first value, which is no change.
        gap = (true, isNewest ? entry.before ?? known : known ?? entry.before)
        return known
    }

    /// Makes the next change make up for those that were dropped before it, if there are any.
    ///
    /// - Parameter entry: The next change.
    /// - Returns: A value to be released without the lock.
    mutating func closeGap(before entry: inout InboxState.Entry) -> Value? {
        guard gap.exists else { return nil }
        let own = entry.before
        entry.followsGap = true
        entry.before = gap.before ?? own
        gap = (false, nil)
        return own
    }

    /// Forgets all values, and keeps the counts.
    ///
    /// - Returns: The values, to be released without the lock.
    mutating func end() -> [Value?] {
        defer {
            hasEnded = true
            gap = (false, nil)
            lastWhole = nil
        }
        return [gap.before, lastWhole]
    }
}
