// What the changes under way know of a path, transition by transition.
import KeyValueObserving
import Testing

@Suite("3.5 What changes under way know of a path")
struct EngagementTests {
    private final class Value {}

    private typealias Known = Engagement<Value>

    private let first = Value()
    private let second = Value()

    @Test("3.5 A change reads the value before it only where it is needed, not known, and may be read")
    func oldValueUse() {
        var engagement = Known()
        #expect(engagement.begin(needingOld: false).oldValueUse == nil)
        #expect(engagement.begin().oldValueUse == .thisChange)
        engagement.note(first)
        #expect(engagement.begin().oldValueUse == nil)
        #expect(engagement.changes == 3)

        var blocked = Known()
        blocked.block(on: 1)
        #expect(blocked.begin(on: 1).oldValueUse == nil)
        #expect(blocked.begin(on: 2).oldValueUse == .thisChange)
        var accessed = Known()
        accessed.block()
        #expect(accessed.begin(on: 1).oldValueUse == nil)
    }

    @Test("3.5 The first change of the property at the end of a path reads the value before it for others only")
    func leaf() {
        var engagement = Known()
        #expect(engagement.begin(isLeaf: true).oldValueUse == .others)
        engagement.note(first, for: .others)
        #expect(engagement.known == nil)
        // The second one comes to need it, and has the same one.
        #expect(engagement.begin(isLeaf: true).oldValueUse == .thisChange)
        engagement.note(second)
        #expect(engagement.known === first)
    }

    @Test("3.5 What was read for others first is the value before the changes, whoever reads again")
    func othersKeepTheFirst() {
        var engagement = Known()
        engagement.begin()
        engagement.note(first, for: .others)
        engagement.note(second, for: .others)
        engagement.note(second)
        #expect(engagement.known === first)
    }

    @Test("3.5 A value is noted while a change is under way, and unless one is known")
    func note() {
        var engagement = Known()
        engagement.note(first)
        #expect(engagement.known == nil)
        engagement.begin()
        engagement.note(first)
        engagement.note(second)
        #expect(engagement.known === first)
    }

    @Test("3.5 What observers were told is the old value of the next change, as long as changes are under way")
    func conclude() throws {
        var engagement = Known()
        engagement.begin()
        engagement.begin()
        engagement.note(first)
        #expect(isDelivered(engagement.conclude(new: second, readAt: engagement.version), old: first))
        #expect(engagement.known === second)
        #expect(engagement.version == 1)
        #expect(isDelivered(engagement.conclude(new: first, readAt: engagement.version), old: second))
        #expect(engagement.known == nil)
        #expect(engagement.version == 2)
        #expect(engagement.changes == 0)
    }

    @Test(
        "3.5 17.3 A value that was read before observers were notified of something is read again; not without end where the thread itself notifies"
    )
    func readAgain() {
        var engagement = Known()
        engagement.begin()
        engagement.begin()
        _ = engagement.conclude(new: first, readAt: 0)
        guard case .readAgain = engagement.conclude(new: second, readAt: 0) else {
            Issue.record("an outdated value was delivered")
            return
        }
        #expect(engagement.changes == 1)
        guard case .readAgain = engagement.conclude(new: second, readAt: 0, on: 1, enough: true) else {
            Issue.record("an outdated value was delivered, although another thread goes on")
            return
        }
        #expect(isDelivered(engagement.conclude(new: second, readAt: 0, enough: true), old: first))
    }

    @Test("3.5 A change concludes alone only if nothing else is known, blocked or under way")
    func concludeAlone() {
        var engagement = Known()
        engagement.begin()
        #expect(engagement.concludeAlone() == true)
        #expect(engagement.version == 1)
        #expect(engagement.changes == 0)

        engagement.begin()
        engagement.begin()
        #expect(engagement.concludeAlone() == false)
        engagement.end()
        engagement.note(first)
        #expect(engagement.concludeAlone() == false)
        engagement.forgetOldValues()
        engagement.block(on: 7)
        #expect(engagement.concludeAlone() == false)
        _ = engagement.unblock(on: 7)
        engagement.block()
        #expect(engagement.concludeAlone() == false)
        _ = engagement.unblock()
        #expect(engagement.concludeAlone() == true)
    }

    @Test(
        "3.5 An access in place blocks everywhere, an announced change on its thread, apart from the caller's own reason"
    )
    func isBlocked() {
        var engagement = Known()
        #expect(!engagement.isBlocked(on: 1))
        engagement.block(on: 1)
        #expect(engagement.isBlocked(on: 1))
        #expect(!engagement.isBlocked(on: 2))
        #expect(!engagement.isBlocked(on: 1, exceptByCaller: true))
        #expect(!engagement.isAccessed)
        engagement.block(on: 1)
        #expect(engagement.isBlocked(on: 1, exceptByCaller: true))
        _ = engagement.unblock(on: 1)
        _ = engagement.unblock(on: 1)
        _ = engagement.unblock(on: 1)
        #expect(!engagement.isBlocked(on: 1))
        engagement.block()
        #expect(engagement.isAccessed)
        #expect(engagement.isBlocked(on: 2))
        #expect(engagement.isBlocked(on: 2, exceptByCaller: true))
    }

    @Test("3.5 Whoever ends the reason why a change was deferred delivers it, once")
    func deferred() {
        var engagement = Known()
        engagement.begin()
        #expect(engagement.deferIfBlocked(on: 1) == false)
        engagement.block(on: 1)
        engagement.block(on: 2)
        engagement.begin()
        #expect(engagement.deferIfBlocked(on: 1) == true)
        engagement.begin()
        #expect(engagement.deferIfBlocked(on: 1) == true)
        #expect(engagement.changes == 1)
        #expect(engagement.unblock(on: 2) == false)
        #expect(engagement.unblock(on: 1) == true)
        #expect(engagement.takeDeferred(on: 1) == false)
        #expect(engagement.takeDeferred() == false)
    }

    @Test("3.5 What an access in place had deferred waits for the last access")
    func deferredByAccess() {
        var engagement = Known()
        engagement.block()
        engagement.block()
        engagement.begin()
        #expect(engagement.deferIfBlocked(on: 1) == true)
        #expect(engagement.unblock() == false)
        #expect(engagement.unblock() == true)
        #expect(engagement.takeDeferred() == false)
    }

    @Test("3.5 What an announced change deferred is left to an access in place that outlasts it")
    func deferredByBoth() {
        var engagement = Known()
        engagement.block(on: 1)
        engagement.begin()
        #expect(engagement.deferIfBlocked(on: 1) == true)
        engagement.block()
        #expect(engagement.unblock(on: 1) == false)
        #expect(engagement.unblock() == true)
    }

    @Test("3.5 What was deferred may be taken over while the path stays blocked")
    func takeDeferred() {
        var engagement = Known()
        engagement.block(on: 1)
        #expect(engagement.takeDeferred(on: 1) == false)
        engagement.begin()
        #expect(engagement.deferIfBlocked(on: 1) == true)
        #expect(engagement.takeDeferred(on: 2) == false)
        #expect(engagement.takeDeferred(on: 1) == true)
        #expect(engagement.isBlocked(on: 1))
        #expect(engagement.unblock(on: 1) == false)
    }

    @Test("3.5 A caller's own reason defers nothing")
    func exceptByCaller() {
        var engagement = Known()
        engagement.block(on: 1)
        engagement.begin()
        #expect(engagement.deferIfBlocked(on: 1, exceptByCaller: true) == false)
        #expect(engagement.changes == 1)
    }

    @Test("1.6 What no change under way needs is handed out to be released")
    func leftovers() {
        var engagement = Known()
        engagement.begin()
        engagement.begin()
        engagement.note(first)
        #expect(engagement.takeLeftovers() == (nil, nil))
        engagement.end()
        engagement.end()
        #expect(engagement.takeLeftovers().0 === first)
        #expect(engagement.known == nil)

        engagement.begin()
        engagement.note(second, for: .others)
        engagement.end()
        #expect(engagement.takeLeftovers().1 === second)
        #expect(engagement.takeLeftovers() == (nil, nil))
        engagement.begin()
        engagement.note(first)
        #expect(engagement.known === first)
        engagement.forgetOldValues()
        #expect(engagement.known == nil)
    }

    private func isDelivered(_ conclusion: Known.Conclusion, old: Value?) -> Bool {
        if case .deliver(let known) = conclusion { known === old } else { false }
    }
}

private func == (left: (AnyObject?, AnyObject?), right: (AnyObject?, AnyObject?)) -> Bool {
    left.0 === right.0 && left.1 === right.1
}
