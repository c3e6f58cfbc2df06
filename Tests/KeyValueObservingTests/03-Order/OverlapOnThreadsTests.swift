// Changes of what one computed property reads, on several threads at once.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Changes that overlap on several threads")
struct OverlapOnThreadsTests {
    private let scale = Scale(showsLoad: true)
    private let held = HeldChange()
    private let log = Log()

    private func observeShown() -> KeyValueObservation {
        scale.observe(\.shown, options: [.old, .new]) { @Sendable [log] in log.add($1) }
    }

    @Test("3.5 The old value of an announced change is what was delivered last, also while it was being read")
    func announced() {
        let observation = observeShown()
        scale.holdAfterRead(held)
        held.begin { [scale] in scale.changeValue(for: \.shown) {} }
        scale.load = 1
        #expect(log.take() == ["0→1"])
        held.finish()
        #expect(log.take() == ["1→1"])
        withExtendedLifetime(observation) {}
    }

    @Test("10.2 3.5 A change that is announced in a transaction begins with what was delivered last by another thread")
    func announcedInTransaction() {
        let observation = observeShown()
        held.begin { [scale, held] in
            withKeyValueTransaction {
                scale.changeValue(for: \.shown) { scale.load = 1 }
                held.hold()
            }
        }
        scale.load = 2
        #expect(log.take() == ["0→2"])
        held.finish()
        #expect(log.take() == ["2→2"])
        withExtendedLifetime(observation) {}
    }

    @Test("10.2 3.5 A transaction in which somebody registers ends with the value that observers can read")
    func registeringInTransaction() {
        let observation = observeShown()
        held.begin { [scale, held] in
            withKeyValueTransaction {
                scale.load = 1
                let late = scale.observe(\.shown) { @Sendable _, _ in }
                held.hold()
                withExtendedLifetime(late) {}
            }
        }
        scale.load = 2
        #expect(log.take() == ["0→2"])
        held.finish()
        #expect(log.take() == ["2→2"])
        withExtendedLifetime(observation) {}
    }

    @Test("10.2 3.5 Who registers in a transaction is called with what another thread delivered since as the old value")
    func registeredInTransaction() {
        let observation = observeShown()
        let lateLog = Log()
        held.begin { [scale, held] in
            withKeyValueTransaction {
                scale.load = 1
                let late = scale.observe(\.shown, options: [.old, .new]) { @Sendable in lateLog.add($1) }
                held.hold()
                scale.load = 3
                scale.kept = late
            }
        }
        scale.load = 2
        #expect(log.take() == ["0→2"])
        #expect(lateLog.take().count == 1)
        held.finish()
        #expect(log.take() == ["2→3"])
        #expect(lateLog.take() == ["2→3"])
        withExtendedLifetime(observation) {}
    }

    @Test("3.5 A path that comes to a property and leaves it, while another thread changes that, misses no change")
    func comingAndGoing() {
        let scale = Scale(showsLoad: false)
        // How often each value was delivered as the new one, less how often as the old one.
        let balance = Guarded([Int: Int]())
        let path = scale.observe(\.shown, options: [.old, .new]) { @Sendable _, change in
            balance.withLock {
                $0[change.oldValue!, default: 0] -= 1
                $0[change.newValue!, default: 0] += 1
            }
        }
        onThreads(2) { thread in
            for round in 1...5_000 {
                if thread == 0 { scale.showsLoad = round % 2 == 1 } else { scale.load = round }
            }
        }
        // It began with -1 and ended there.
        #expect(balance.withLock { $0.filter { $0.value != 0 } } == [:])
        withExtendedLifetime(path) {}
    }

    @Test("9.1 Many paths come to a property and leave it while another thread changes that")
    func manyPaths() {
        let count = Guarded(0)
        let staying = (0..<9).map { number in
            scale.observe(\.[plus: number]) { @Sendable _, _ in count.withLock { $0 += 1 } }
        }
        onThreads(4) { [scale] thread in
            for round in 1...5_000 {
                if thread == 0 {
                    scale.load = round
                } else {
                    _ = scale.observe(\.[plus: 9 + thread]) { @Sendable _, _ in }
                }
            }
        }
        #expect(count.withLock { $0 } == 45_000)
        withExtendedLifetime(staying) {}
    }
}

/// Its properties may be changed on several threads.
private final class Scale: KeyValueObservable, @unchecked Sendable {
    private struct State {
        var load = 0
        var showsLoad: Bool
        /// Waits when `load` has been read the next time.
        var held: HeldChange?

        mutating func takeHeld() -> HeldChange? {
            defer { held = nil }
            return held
        }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    /// Only one thread uses it at a time.
    var kept: KeyValueObservation?
    private let state: Guarded<State>

    init(showsLoad: Bool) {
        state = Guarded(State(showsLoad: showsLoad))
    }

    var shown: Int { showsLoad ? load : -1 }
    subscript(plus number: Int) -> Int { load + number }

    func holdAfterRead(_ held: HeldChange) { state.withLock { $0.held = held } }

    var load: Int {
        get {
            accessValue(for: \.load)
            let (load, held) = state.withLock { ($0.load, $0.takeHeld()) }
            held?.hold()
            return load
        }
        set { changeValue(for: \.load) { state.withLock { $0.load = newValue } } }
    }

    var showsLoad: Bool {
        get {
            accessValue(for: \.showsLoad)
            return state.withLock { $0.showsLoad }
        }
        set { changeValue(for: \.showsLoad) { state.withLock { $0.showsLoad = newValue } } }
    }
}
