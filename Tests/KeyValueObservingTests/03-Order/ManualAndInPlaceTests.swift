// Promises at the seams of the engine: manual changes beside automatic ones, accesses inside getters.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 4.2 Where manual changes, accesses in place and getters meet")
struct ManualAndInPlaceTests {
    private let log = Log()

    @Test("4.2 A plain set stays silent after a manual pair has been delivered, at the property and behind a path")
    func silentAfterAPair() {
        let (meter, owner) = (Meter(), MeterOwner())
        owner.meter = meter
        let tokens = [
            meter.observe(\.quiet, options: [.old, .new]) { log.add($1, as: "quiet") },
            owner.observe(\.meter?.quiet, options: [.old, .new]) { log.add($1, as: "path") },
        ]
        for value in [1, 2] {
            meter.willChangeValue(for: \.quiet)
            meter.quiet = value
            meter.didChangeValue(for: \.quiet)
            #expect(log.take() == ["quiet \(value - 1)→\(value)", "path \(value - 1)→\(value)"])
        }
        meter.quiet = 3
        meter.quiet += 1
        #expect(log.take() == [])
        meter.quiet = 2
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 A getter that changes the property in place on the way leaves every observer with the value it has")
    func accessInsideAGetter() {
        let meter = Meter()
        let tokens = [
            meter.observe(\.double, options: [.old, .new]) { log.add($1, as: "double") },
            meter.observe(\.corrected, options: [.old, .new]) { log.add($1, as: "corrected") },
            meter.observe(\.level, options: [.old, .new]) { log.add($1, as: "level") },
        ]
        meter.level = 5
        #expect(log.take() == ["double 0→12", "corrected 0→6", "level 0→6"])
        #expect(meter.level == 6)
        withExtendedLifetime(tokens) {}
    }

    @Test("1.6 3.5 A change that never ends keeps no argument of a key path whose registration has ended")
    func argumentsOfAnOpenWill() {
        weak var argument: Tag?
        let meter = Meter()
        do {
            let tag = Tag()
            argument = tag
            let token = meter.observe(\.[tagged: tag], options: [.old, .new]) { _, _ in }
            meter.willChangeValue(for: \.level)
            token.invalidate()
        }
        #expect(argument == nil)
        meter.didChangeValue(for: \.level)
    }
}

private final class Tag: Hashable {
    static func == (left: Tag, right: Tag) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private final class Meter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var quiet = 0
    @Observed var level = 0
    var double: Int { level * 2 }
    /// Never shows 5.
    var corrected: Int {
        if level == 5 { level += 1 }
        return level
    }

    subscript(tagged tag: Tag) -> Int { level }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Meter.quiet }
}

private final class MeterOwner: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var meter: Meter?
}
