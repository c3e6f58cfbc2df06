// Two threads that end the same registrations: 9.3.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("9.3 Ends on two threads")
struct EndingTwiceTests {
    /// Registers handlers at two properties, each of which holds a bolt and writes to the warden's log, and the calls each
    /// of which ends all of them.
    private struct Way: Sendable {
        let register: @Sendable (Things, () -> Bolt) -> Void
        let ends: [@Sendable (Things) -> Void]
    }

    private static let ways: [Way] = [
        Way(
            register: { things, bolt in
                for keyPath in [\Boiler.level, \.name] as [PartialKeyPath<Boiler>] {
                    things.boiler.addObserver(things.warden, for: [keyPath]) { [bolt = bolt()] warden, _, _ in
                        warden.log.add("called \(bolt)")
                    }
                }
            },
            ends: [
                { $0.boiler.removeAllObservers() }, { $0.boiler.removeObserver($0.warden) },
                { $0.boiler.removeObserver($0.warden, for: \Boiler.level, \Boiler.name) },
            ]),
        Way(
            register: { things, bolt in
                let (first, second) = (bolt(), bolt())
                things.warden.observe(things.boiler, \.level) { warden, _, _ in warden.log.add("called \(first)") }
                things.warden.observe(things.boiler, \.name) { warden, _, _ in warden.log.add("called \(second)") }
            },
            ends: [
                { $0.warden.stopObservingAll() }, { $0.warden.stopObserving($0.boiler) },
                { things in
                    things.warden.stopObserving(things.boiler, \Boiler.level)
                    things.warden.stopObserving(things.boiler, \Boiler.name)
                },
            ]),
        Way(
            register: { things, bolt in
                let (first, second) = (bolt(), bolt())
                things.controller.observe(things.boiler, \.level) { warden, _, _ in warden.log.add("called \(first)") }
                things.controller.observe(things.boiler, \.name) { warden, _, _ in warden.log.add("called \(second)") }
            },
            ends: [
                { $0.controller.unobserveAll() }, { $0.controller.unobserve($0.boiler) },
                { things in
                    things.controller.unobserve(things.boiler, \Boiler.level)
                    things.controller.unobserve(things.boiler, \Boiler.name)
                },
            ]),
        Way(
            register: { things, bolt in
                things.token = things.boiler.observe(keyPaths: [\Boiler.level, \Boiler.name]) {
                    [log = things.warden.log, bolt = bolt()] _, _ in log.add("called \(bolt)")
                }
            }, ends: [{ $0.token?.invalidate() }]),
    ]

    @Test("9.3 When an end returns, no call starts, even if another thread is still ending", arguments: ways.indices)
    func ends(index: Int) {
        let way = Self.ways[index]
        for first in way.ends.indices {
            for second in way.ends.indices {
                let things = Unchecked(value: Things())
                let (held, isFirst) = (HeldChange(), Guarded(true))
                way.register(things.value) {
                    Bolt { if isFirst.withLock({ exchange(&$0, with: false) }) { held.hold() } }
                }
                held.begin { way.ends[first](things.value) }
                way.ends[second](things.value)
                things.value.boiler.level = 1
                things.value.boiler.name = "a"
                #expect(things.value.warden.log.take() == [], "\(first), and then \(second)")
                held.finish()
                #expect(things.value.boiler.observationInfo.isEmpty)
            }
        }
    }
}

private final class Things {
    let boiler = Boiler()
    let warden = Warden()
    private(set) lazy var controller = KVOController(observer: warden)
    var token: KeyValueObservation?
}

/// Runs a function when it is released.
private final class Bolt {
    private let release: () -> Void

    init(release: @escaping () -> Void) { self.release = release }

    deinit { release() }
}
