// What a registration elsewhere reads, and what it keeps: 2.1, 11.4 and 11.5.
import Dispatch
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.1 11.4 11.5 What a registration elsewhere reads and keeps")
struct ElsewhereReadingTests {
    private let recorder = Recorder()

    @Test("11.5 What waits when the actor dies is let go, and so is the handler, without another change")
    func actorDiesWhileMuchWaits() async {
        let (tank, gone, released) = (Tank(), Gate(), DispatchSemaphore(value: 0))
        let token = await Self.fill(tank, gone, released)
        released.signal()
        await gone.wait()
        withExtendedLifetime((tank, token)) {}
    }

    /// Lets go of an actor for which much waits; its handler opens a gate when it is released.
    private static func fill(_ tank: Tank, _ gone: Gate, _ released: DispatchSemaphore) async -> KeyValueObservation {
        await Recorder().perform { recorder in
            let token = tank.observe(\.level, on: recorder) { [farewell = Farewell(gone)] _, _ in
                withExtendedLifetime(farewell) {}
                released.wait()
                released.signal()
            }
            for level in 1...10 { tank.level = level }
            return token
        }
    }

    @Test(
        "2.1 11.1 A registration elsewhere reads no more than one on the setting thread",
        arguments: [([], .newest(1)), ([], .oldest(1)), (.new, .unbounded), (.old, .unbounded)]
            as [(KeyValueObservingOptions, KeyValueBufferingPolicy)])
    func reads(options: KeyValueObservingOptions, policy: KeyValueBufferingPolicy) async {
        @Sendable func reads(_ register: (Meter) -> KeyValueObservation) -> (counts: [Int], KeyValueObservation?) {
            let meter = Meter()
            var token: KeyValueObservation?
            let counts = [
                meter.reads { token = register(meter) }, meter.reads { meter.items = [1] },
                meter.reads { meter.items = [2] },
            ]
            return (counts, token)
        }
        let here = reads { $0.observe(\.items, options: options) { _, _ in } }
        let there = await recorder.perform { recorder in
            reads { $0.observe(\.items, options: options, on: recorder, bufferingPolicy: policy) { $0.add($1) } }
        }
        #expect(zip(there.counts, here.counts).allSatisfy { $0 <= $1 }, "\(there.counts), \(here.counts)")
        // The object is dead by now.
        _ = await recorder.lines(1)
    }

    @Test(
        "2.1 10.2 So it is with changes of elements in a transaction",
        arguments: [[], .old, .new] as [KeyValueObservingOptions])
    func readsOfElements(options: KeyValueObservingOptions) async {
        let meter = Meter()
        @Sendable func reads(_ register: () -> KeyValueObservation) -> Int {
            let token = register()
            defer { token.invalidate() }
            return meter.reads { withKeyValueTransaction { meter.mutable(\.items).append(1) } }
        }
        let here = reads { meter.observe(\.items, options: options) { _, _ in } }
        let there = await recorder.perform { recorder in
            reads { meter.observe(\.items, options: options, on: recorder) { _, _ in } }
        }
        #expect(there <= here)
    }

    @Test(
        "11.2 11.5 1.6 When a registration or its actor is gone, nothing is read for it any more",
        arguments: [KeyValueBufferingPolicy.newest(1), .oldest(1)], [false, true])
    func readsAfterEnd(policy: KeyValueBufferingPolicy, endsByToken: Bool) async {
        let meter = Meter()
        var recorder: Recorder? = Recorder()
        let token = await recorder?.perform { recorder in
            let token = meter.observe(
                \.items, options: [.initial, .old, .new], on: recorder, bufferingPolicy: policy
            ) { recorder, change in recorder.add(change) }
            for number in 1...3 { meter.items = [number] }
            return token
        }
        _ = await recorder?.lines(1)
        if endsByToken { token?.invalidate() } else { recorder = nil }
        // The first change after the death of the actor finds that out.
        meter.items = []
        #expect(meter.reads { meter.items = [1] } == 0)
        withExtendedLifetime((recorder, token)) {}
    }

    @Test("11.4 10.2 Who keeps a change of elements keeps these, and not the whole that they came to")
    func keptChange() async {
        let (necklace, kept) = (Necklace(), Guarded<[KeyValueObservedChange<[Bead]>]>([]))
        weak var first: Bead?
        do {
            let bead = Bead()
            first = bead
            necklace.beads = [bead]
        }
        let token = necklace.observe(\.beads, options: .new, on: recorder, bufferingPolicy: .newest(5)) {
            recorder, change in
            kept.withLock { $0.append(change) }
            recorder.add("called")
        }
        withKeyValueTransaction { necklace.mutable(\.beads).append(Bead()) }
        _ = await recorder.lines(1)
        #expect(first != nil)
        necklace.mutable(\.beads).removeFirst()
        _ = await recorder.lines(2)
        #expect(first == nil && kept.withLock { $0.count } == 2)
        withExtendedLifetime(token) {}
    }
}

/// Counts how often its items are read.
private final class Meter: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var storedItems: [Int] = []
    private var readCount = 0
    var items: [Int] {
        get {
            accessValue(for: \.items)
            readCount += 1
            return storedItems
        }
        set { changeValue(for: \.items) { storedItems = newValue } }
    }

    /// How often they are read in a function.
    func reads(_ body: () -> Void) -> Int {
        let before = readCount
        body()
        return readCount - before
    }
}

private final class Bead: Sendable {}

private final class Necklace: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var beads: [Bead] = []
}
