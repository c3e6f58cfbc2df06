// The values that a registration on another executor reads and keeps: 2.1, 11.4 and 11.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.1 11.4 11.5 Values that a registration on another executor reads and keeps")
struct ExecutorReadingTests {
    private let recorder = Recorder()

    @Test(
        "2.1 11.1 A registration elsewhere reads no more than one on the setting thread",
        arguments: [([], .bufferingNewest(1)), ([], .bufferingOldest(1)), (.new, .unbounded), (.old, .unbounded)]
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
            reads {
                $0.changes(of: \.items, options: options).buffer(policy: policy).deliver(to: recorder) { $0.add($1) }
            }
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
            reads { meter.changes(of: \.items, options: options).deliver(to: recorder) { _, _ in } }
        }
        #expect(there <= here)
    }

    @Test(
        "11.2 11.5 1.6 When a registration or its actor is gone, nothing is read for it any more",
        arguments: [KeyValueBufferingPolicy.bufferingNewest(1), .bufferingOldest(1)], [false, true])
    func readsAfterEnd(policy: KeyValueBufferingPolicy, endsByToken: Bool) async {
        let meter = Meter()
        var recorder: Recorder? = Recorder()
        let token = await recorder?.perform { recorder in
            let token = meter.changes(of: \.items, options: [.initial, .old, .new]).buffer(policy: policy).deliver(
                to: recorder
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

    @Test(
        "9.3 11.4 A value that is dropped dies without a lock: its deinit may ask about the registration",
        arguments: [
            (KeyValueBufferingPolicy.bufferingNewest(1), ["1 1", "2 1", "3 1"]), (.bufferingOldest(1), ["2 1", "3 1"]),
        ])
    func deathOfDropped(policy: KeyValueBufferingPolicy, lines: [String]) {
        let (necklace, deaths, pump) = (Necklace(), Questions(), Pump())
        let token = necklace.changes(of: \.bead, options: .new).buffer(policy: policy).deliver(on: pump) { _ in }
        for number in 1...3 {
            necklace.bead = Bead { [weak necklace] in
                deaths.add("\(number) \(necklace?.observationInfo.count ?? 0)")
            }
        }
        necklace.bead = nil
        #expect(deaths.take() == lines)
        // Until it has run, the job holds the pump, which holds the job.
        pump.run()
        withExtendedLifetime(token) {}
    }

    @Test(
        "11.4 2.6 Changes of elements copy nothing where no whole value may be needed",
        arguments: [KeyValueBufferingPolicy.unbounded, .bufferingNewest(3)])
    func copies(policy: KeyValueBufferingPolicy) async {
        let options: KeyValueObservingOptions = policy == .unbounded ? [.old, .new] : []
        let tank = Tank()
        tank.tags.reserveCapacity(100)
        await recorder.perform { recorder in
            let token = tank.changes(of: \.tags, options: options).buffer(policy: policy).deliver(to: recorder) {
                _, _ in
            }
            func place() -> UInt { unsafe tank.tags.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
            let before = place()
            for tag in 0..<10 {
                tank.mutable(\.tags).append("\(tag)")
                #expect(place() == before)
            }
            withExtendedLifetime(token) {}
        }
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

/// Does something when it dies.
private final class Bead: Sendable {
    private let onDeath: @Sendable () -> Void

    init(onDeath: @escaping @Sendable () -> Void) { self.onDeath = onDeath }

    deinit { onDeath() }
}

private final class Necklace: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var bead: Bead?
}
