// What the changes under way know of a path, as a value with transitions.

/// What the observers of a path were last notified of, for as long as changes that concern the path are under way.
///
/// It makes each observer's old and new values one chain, however changes overlap. The old value of a change is what
/// the observers were last notified of since the change began, or else the value before it. The path is not evaluated
/// while a property that it depends on is being accessed in place, or while a change of the path itself is announced
/// manually. What happens meanwhile is deferred, and whoever ends the access or the announced change notifies the
/// observers.
///
/// | transition | effect |
/// | --- | --- |
/// | `begin` | one more change concerns the path; it learns what the value before it is to be read for |
/// | `note` | the value before the changes is known, unless one is; or it is kept for others, unless one is |
/// | `block` | one more reason not to evaluate the path |
/// | `deferIfBlocked` | a change ends while the path must not be evaluated |
/// | `conclude` | a change ends: its old value is the known one, and its new one is known while changes remain |
/// | `concludeAlone` | the same for the only change, whose values the caller has |
/// | `unblock` | one reason less; the last one returns whether something was deferred |
/// | `end` | a change ends, and nothing is delivered |
package struct Engagement<Value: AnyObject> {
    /// How many changes are under way.
    package private(set) var changes = 0
    /// What observers were last notified of, or the value before the changes, if it was needed.
    package private(set) var known: Value?
    /// The value before the first of the changes, which knows it, for others.
    private var first: Value?
    /// How often that was replaced.
    package private(set) var version = 0
    /// The thread on which it was replaced last.
    private var lastThread: UInt64 = 0
    /// How many accesses in place forbid to evaluate the path, on all threads.
    private var accesses = 0
    /// The threads on which changes of the path itself are announced.
    private var announcing: [UInt64] = []
    /// Whether something was deferred that whoever ends the accesses in place notifies of.
    private var isDeferred = false
    /// The threads on which something was deferred that whoever ends what is announced there notifies of.
    private var deferring: [UInt64] = []

    package init() {}

    /// Whether the path must not be evaluated on a thread.
    ///
    /// - Parameters:
    ///   - thread: The thread.
    ///   - hasBlocked: Whether one of the reasons is the caller's own.
    /// - Returns: Whether there are others.
    package func isBlocked(on thread: UInt64, exceptByCaller hasBlocked: Bool = false) -> Bool {
        accesses > 0 || announcing.count { $0 == thread } > (hasBlocked ? 1 : 0)
    }

    /// What a change finds when it begins.
    package struct Start {
        package let version: Int
        /// What the value before the change is to be read for; nil if it is known, not needed, or must not be read.
        package let oldValueUse: OldValueUse?
    }

    /// What the value before a change is read for.
    package enum OldValueUse {
        case thisChange
        /// The change has the value itself. Others use it, if they come to concern the path before this one ends.
        case others
    }

    /// Begins a change.
    ///
    /// - Parameters:
    ///   - thread: The thread that makes it.
    ///   - isOldNeeded: Whether its observers need the value before it.
    ///   - isLeaf: Whether the path's values are made of those of the property that changes.
    /// - Returns: What it has to know.
    @discardableResult
    package mutating func begin(on thread: UInt64 = 0, needingOld isOldNeeded: Bool = true, isLeaf: Bool = false)
        -> Start
    {
        changes += 1
        guard isOldNeeded, known == nil, !isBlocked(on: thread) else {
            return Start(version: version, oldValueUse: nil)
        }
        return Start(version: version, oldValueUse: isLeaf && changes == 1 ? .others : .thisChange)
    }

    /// Notes the value before the changes under way, unless observers were notified of a later one.
    package mutating func note(_ value: Value, for use: OldValueUse = .thisChange) {
        guard known == nil, changes > 0 else { return }
        switch use {
        case .thisChange: known = first ?? value
        case .others: first = first ?? value
        }
    }

    /// Forbids to evaluate the path: everywhere, or on a thread on which a change of it is announced.
    package mutating func block(on thread: UInt64? = nil) {
        if let thread { announcing.append(thread) } else { accesses += 1 }
    }

    /// - Returns: Whether observers are to be notified of what was deferred.
    package mutating func unblock(on thread: UInt64? = nil) -> Bool {
        if let thread {
            if let index = announcing.firstIndex(of: thread) { announcing.remove(at: index) }
        } else {
            accesses -= 1
        }
        return takeDeferred(on: thread)
    }

    /// Takes over what was deferred for one reason, although the path may stay blocked.
    ///
    /// While an access in place lasts, it is left to whoever ends that.
    ///
    /// - Parameter thread: The thread of the announced change that ends; nil for an access in place.
    /// - Returns: Whether observers are to be notified of it.
    package mutating func takeDeferred(on thread: UInt64? = nil) -> Bool {
        if let thread {
            guard let index = deferring.firstIndex(of: thread) else { return false }
            deferring.remove(at: index)
            isDeferred = true
        }
        guard accesses == 0, isDeferred else { return false }
        isDeferred = false
        return true
    }

    /// Ends a change if it must not evaluate the path.
    package mutating func deferIfBlocked(on thread: UInt64, exceptByCaller hasBlocked: Bool = false) -> Bool {
        guard isBlocked(on: thread, exceptByCaller: hasBlocked) else { return false }
        if accesses > 0 {
            isDeferred = true
        } else if !deferring.contains(thread) {
            deferring.append(thread)
        }
        end()
        return true
    }

    /// Whether an access in place forbids to evaluate the path.
    package var isAccessed: Bool { accesses > 0 }

    package enum Conclusion {
        /// Observers are notified of this old value, if it is known, and the new one.
        case deliver(old: Value?)
        /// Observers were notified of something since the new value was read: it is to be read again.
        case readAgain
    }

    /// Ends a change.
    ///
    /// - Parameters:
    ///   - new: The new value.
    ///   - version: The version before it was read.
    ///   - thread: The thread that makes it.
    ///   - hasReadEnough: Whether to deliver the value although this thread itself has notified of something since: its
    ///     getters may do so each time. Other threads have come further when they do.
    /// - Returns: What the observers are notified of.
    package mutating func conclude(
        new: Value, readAt version: Int, on thread: UInt64 = 0, enough hasReadEnough: Bool = false
    ) -> Conclusion {
        if version != self.version, !(hasReadEnough && lastThread == thread) { return .readAgain }
        let old = known
        deliver(on: thread)
        changes -= 1
        known = changes > 0 ? new : nil
        return .deliver(old: old)
    }

    private mutating func deliver(on thread: UInt64) {
        version += 1
        lastThread = thread
    }

    /// Ends a change that needs no evaluation, if it is the only one and nobody was notified of anything meanwhile.
    package mutating func concludeAlone(on thread: UInt64 = 0) -> Bool {
        guard accesses == 0, announcing.isEmpty, changes == 1, known == nil else { return false }
        deliver(on: thread)
        changes = 0
        return true
    }

    /// Ends a change without notifying anybody.
    package mutating func end() { changes -= 1 }

    /// Forgets the value before the changes, which nobody needs any more and the caller releases.
    package mutating func forgetOldValues() { (known, first) = (nil, nil) }

    /// What is kept although no change is under way any more: to be released without a lock.
    package mutating func takeLeftovers() -> (Value?, Value?) {
        guard changes == 0 else { return (nil, nil) }
        defer { (known, first) = (nil, nil) }
        return (known, first)
    }
}
