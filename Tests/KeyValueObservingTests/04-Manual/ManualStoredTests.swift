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

    /// Announces a change of the level while it is accessed in place.
    private func fill(_ level: inout Int, to value: Int) {
        valve.changeValue(for: \.level) { level = value }
    }

    @Test("4.2 2.4 Nobody is called before a change that is announced within an access in place: it could not be read")
    func noPriorWithinAccess() {
        let log = log
        let token = valve.observe(\.level, options: [.old, .new, .prior]) { log.add($1) }
        fill(&valve.level, to: 3)
        #expect(log.take() == ["0→3"])
        valve.changeValue(for: \.level) { valve.level += 1 }
        #expect(log.take() == ["prior 3→·", "3→4"])
        withExtendedLifetime(token) {}
    }

    @Test("4.1 5.2 An announced property is delivered to its own observers and to what is declared to depend on it")
    func announcedWithDependents() {
        let (log, gauge) = (log, Gauge())
        let tokens = [
            gauge.observe(\.label, options: [.old, .new]) { log.add($1, as: "label") },
            gauge.observe(\.reading, options: [.old, .new]) { log.add($1, as: "reading") },
        ]
        gauge.changeValue(for: \.reading) { gauge.hidden = 1 }
        #expect(log.take() == ["label 0→1", "reading 0→1"])
        withKeyValueTransaction {
            gauge.changeValue(for: \.reading) { gauge.hidden = 2 }
            gauge.changeValue(for: \.reading) { gauge.hidden = 3 }
        }
        #expect(log.take() == ["label 1→3", "reading 1→3"])
        gauge.base = 1
        #expect(log.take() == ["label 3→4", "reading 3→4"])
        withExtendedLifetime(tokens) {}
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

/// What it shows is announced, and also read from a property that is observed.
private final class Gauge: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var base = 0
    var hidden = 0
    var reading: Int { base + hidden }
    var label: String { "\(reading)" }

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Gauge.label ? [\Gauge.reading] : []
    }
}
