// What keeps one handler of several registrations from being called while it runs.

/// Makes the calls of one handler one after the other, whichever registrations and threads they come from.
///
/// Whoever takes the baton makes a call, and then those that were handed over meanwhile, until there are none. Whoever finds
/// it taken, on another thread or inside the handler on the same one, hands the call over and returns. A call that was handed
/// over is not made if its registration has ended.
///
/// No code of users runs under the lock, and calls are released without it.
package final class Baton: @unchecked Sendable {
    /// A call that is handed over.
    struct Call {
        /// Nil if `make` looks itself whether the call is still due.
        let registration: Registration?
        /// The object that it is about.
        let object: AnyObject
        let make: () -> Void
        private let circumstances = Circumstances()

        init(for registration: Registration? = nil, of object: AnyObject, _ make: @escaping () -> Void) {
            self.registration = registration
            self.object = object
            self.make = make
        }

        fileprivate func makeIfDue() {
            if registration?.hasEnded ?? false { return }
            circumstances.restoredElsewhere(make)
        }
    }

    private let lock = Lock()
    // The lock makes accesses exclusive.
    /// The thread that has it, or 0.
    @safe @exclusivity(unchecked) private var holder: UInt64 = 0
    /// The delivery in which that thread took it.
    @safe @exclusivity(unchecked) private var delivery: ActiveDelivery?
    /// What was handed over; nothing while nobody has it.
    @safe @exclusivity(unchecked) private var waiting = WaitingCalls<Call>()
    /// Whether it was noted that other threads hand over more calls than are made.
    @safe @exclusivity(unchecked) private var isNoted = false

    package init() {}

    /// Takes it, unless somebody has it; `layDown` must follow on the same thread.
    func take() -> Bool { lock.withLock { takeIfFree() } }

    private func takeIfFree() -> Bool {
        guard holder == 0 else { return false }
        (holder, delivery) = (ThisThread.number, ActiveDelivery.innermost)
        return true
    }

    /// Makes the calls that were handed over, and lays it down.
    func layDown() {
        while let call = lock.withLock({ nextOrNone() }) { call.makeIfDue() }
    }

    private func nextOrNone() -> Call? {
        if let next = waiting.next() { return next }
        (holder, delivery) = (0, nil)
        return nil
    }

    /// Hands a call over to whoever has it, or makes it if nobody has it any more.
    func handOver(_ call: Call) {
        let (isTaken, isNearlyEndless, isSlow) = lock.withLock {
            let isTaken = takeIfFree()
            let isOwn = holder == ThisThread.number
            waiting.append(call, becauseOfLast: !isTaken && isOwn)
            let isSlow = !isOwn && !isNoted && waiting.count > 10_000
            if isSlow { isNoted = true }
            return (isTaken, waiting.isNearlyEndless, isSlow)
        }
        if isTaken { return layDown() }
        if isNearlyEndless { trapIfEndless(call.object) }
        if isSlow, let site = call.registration?.site {
            KeyValueDiagnostics.noteSlowHandlers(of: site.name, call.object, registeredAt: site.place)
        }
    }

    /// Ends the program if there is no end of calls that the handler makes necessary; notes before that who takes part.
    private func trapIfEndless(_ object: AnyObject) {
        // Names are made without the lock. On this thread nobody lays it down meanwhile.
        guard let outermost = lock.withLock({ holder == ThisThread.number ? .some(delivery) : nil }) else { return }
        let names = ActiveDelivery.innermost?.names(upTo: outermost) ?? []
        let endless = lock.withLock {
            waiting.names.formUnion(names)
            return waiting.isEndless ? waiting.names : nil
        }
        if let endless { trapEndless(endless, object) }
    }
}
