// Stored properties that notify manually: 4.2.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4.2 Stored properties that notify manually")
struct ManualStoredTests {
    private let valve = Valve()
    private let log = Log()

    private func observe() -> KeyValueObservation {
        valve.observe(\.level, options: [.old, .new]) { [log] in log.add($1) }
    }

    @Test("4.2 A set is silent after announced changes, too")
    func silentAfterAnnouncement() {
        let token = observe()
        valve.changeValue(for: \.level) { valve.level = 1 }
        valve.level = 2
        valve.changeValue(for: \.level) { valve.level = 3 }
        valve.level = 4
        #expect(log.take() == ["0→1", "2→3"])
        withExtendedLifetime(token) {}
    }

    @Test("4.2 10.2 So it is in a transaction")
    func inATransaction() {
        let token = observe()
        withKeyValueTransaction {
            valve.level = 1
            valve.level = 2
        }
        #expect(log.take() == [])
        withKeyValueTransaction {
            valve.changeValue(for: \.level) { valve.level = 3 }
            valve.level = 4
        }
        #expect(log.take() == ["2→3"])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 4.1 Changes that two threads announce, of an object that nobody observed, are theirs")
    func announcedOnTwoThreads() {
        let shared = Unchecked(value: valve)
        valve.willChangeValue(for: \.level)
        onThreads(1) { [log] _ in
            let valve = shared.value
            valve.willChangeValue(for: \.flow)
            let token = valve.observe(\.flow, options: [.old, .new]) { log.add($1, as: "flow") }
            valve.flow = 1
            valve.didChangeValue(for: \.flow)
            valve.changeValue(for: \.flow) { valve.flow = 2 }
            withExtendedLifetime(token) {}
        }
        #expect(log.take() == ["flow 1→2"])
        let token = observe()
        valve.level = 1
        valve.didChangeValue(for: \.level)
        valve.changeValue(for: \.level) { valve.level = 2 }
        #expect(log.take() == ["1→2"])
        withExtendedLifetime(token) {}
    }
}

private final class Valve: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var flow = 0

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { false }
}
