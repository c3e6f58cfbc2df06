// Conformance cases of groups 3 and 19 that show that observers are called without a lock.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 19: no lock is held while observers are notified")
struct UnlockedDeliveryCases {
    private let shared = Shared()
    private let log = SharedLog()

    /// Runs `body` on a thread of its own and waits for it; false if it takes too long.
    private static func onAnotherThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.start()
        return done.wait(timeout: .now() + 60) == .success
    }

    @Test("#344 Two threads change one property at once; each is delivered on its own thread, without a lock (3.3)")
    func changeFromTwoThreads() {
        // The first handler of the first change waits for the whole of a second change on another thread.
        let first = shared.observe(\.number, options: [.old, .new]) { [log] shared, change in
            log.add("first \(text(of: change))")
            guard change.newValue == 1 else { return }
            #expect(Self.onAnotherThread { shared.number = 2 })
        }
        let second = shared.observe(\.number, options: [.old, .new]) { [log] _, change in
            log.add("second \(text(of: change))")
        }
        shared.number = 1
        #expect(log.lines == ["first 0→1", "first 1→2", "second 1→2", "second 0→1"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("#86 While an observer is notified, another thread registers, lists and ends registrations (3.3)")
    func registerFromAnotherThread() {
        let other = shared.observe(\.text) { [log] _, _ in log.add("other") }
        let token = shared.observe(\.number, options: [.new, .prior]) { [log] shared, change in
            log.add("begin \(text(of: change))")
            let isDone = Self.onAnotherThread {
                other.invalidate()
                let token = shared.observe(\.sum, options: .initial) { [log] _, _ in log.add("sum") }
                log.add("\(shared.observationInfo.count)")
                token.invalidate()
                shared.text = "x"
            }
            #expect(isDone)
            log.add("end")
        }
        shared.number = 1
        #expect(log.lines == ["begin prior ·→·", "sum", "2", "end", "begin ·→1", "sum", "2", "end"])
        withExtendedLifetime(token) {}
    }

    @Test("#341 Ending a registration does not wait for a call of it on another thread (9.3)")
    func invalidateDuringCall() {
        let tokens = Locked<[KeyValueObservation]>([])
        let running = shared.observe(\.number, options: .new) { [log] _, change in
            log.add("running \(text(of: change))")
            #expect(Self.onAnotherThread { for token in tokens.withLock({ $0 }) { token.invalidate() } })
            log.add("end")
        }
        let waiting = shared.observe(\.number) { [log] _, _ in log.add("waiting") }
        tokens.withLock { $0 = [running, waiting] }
        shared.number = 1
        shared.number = 2
        // The one whose turn had not come is not notified of the change that was under way.
        #expect(log.lines == ["running ·→1", "end"])
    }
}
