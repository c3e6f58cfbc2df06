// Calling one handler of several registrations without overlap.

/// Makes the calls of one handler one after the other, for all of its registrations and threads.
///
/// A thread that takes the baton makes its call, and then the calls handed over meanwhile, until there are none. A
/// thread that finds the baton taken, by another thread or by itself inside the handler, hands its call over and
/// returns. A handed-over call is not made if its registration has ended.
///
/// No code of users runs under the lock, and calls are released without it.
package final class Baton: @unchecked Sendable {
    /// A call to hand over.
    struct Call {
        /// The registration; nil if `make` itself checks whether the call is still due.
        let registration: Registration?
        /// The object of the call.
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
    /// The thread that holds the baton, or 0.
    @safe @exclusivity(unchecked) private var holder: UInt64 = 0
    /// The delivery in which that thread took it.
    @safe @exclusivity(unchecked) private var delivery: ActiveDelivery?
    /// The calls handed over; none while no thread holds the baton.
    @safe @exclusivity(unchecked) private var waiting = WaitingCalls<Call>()
    /// Whether there was a note that other threads hand over calls faster than they are made.
    @safe @exclusivity(unchecked) private var isNoted = false

    package init() {}

    /// Takes the baton, unless a thread holds it; `layDown` must follow on the same thread.
    func take() -> Bool { lock.withLock { takeIfFree() } }

    private func takeIfFree() -> Bool {
        guard holder == 0 else { return false }
        (holder, delivery) = (ThisThread.number, ActiveDelivery.innermost)
        return true
    }

    /// Makes the calls that were handed over, and lays the baton down.
    func layDown() {
        while let call = lock.withLock({ nextOrNone() }) { call.makeIfDue() }
    }

    private func nextOrNone() -> Call? {
        if let next = waiting.next() { return next }
        (holder, delivery) = (0, nil)
        return nil
    }

    /// Hands a call over to the holder of the baton, or makes it if there is none any more.
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

    /// Traps if the handler endlessly causes calls; before that, collects the names of the registrations.
    private func trapIfEndless(_ object: AnyObject) {
        // Names are made without the lock. This thread does not lay the baton down meanwhile.
        guard let outermost = lock.withLock({ holder == ThisThread.number ? .some(delivery) : nil }) else { return }
        let names = ActiveDelivery.innermost?.names(upTo: outermost) ?? []
        let endless = lock.withLock {
            waiting.names.formUnion(names)
            return waiting.isEndless ? waiting.names : nil
        }
        if let endless { trapEndless(endless, object) }
    }
}
