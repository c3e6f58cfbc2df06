// A property whose override reads nothing else is one target, as either class writes it: 1.8.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 A property whose override reads nothing else is one target, as either class writes it")
struct OverriddenTargetTests {
    private let log = Log()

    /// The ways to write the property.
    private static let ways:
        [@Sendable (Kettle) -> (isObserved: Bool, observe: (@escaping () -> Void) -> KeyValueObservation)] = [
            { kettle in (kettle.isObserved(\.level), { body in kettle.observe(\.level) { _, _ in body() } }) },
            { kettle in
                let vessel = kettle as Vessel
                return (vessel.isObserved(\.level), { body in vessel.observe(\.level) { _, _ in body() } })
            },
        ]

    @Test(
        "1.8 D2 Who observes it one way is found the other way, as long as it is observed",
        arguments: 0..<2, 0..<2)
    func asking(way: Int, other: Int) {
        let kettle = SmallKettle() as Kettle
        let token = Self.ways[way](kettle).observe { [log] in log.add("told") }
        #expect(Self.ways[other](kettle).isObserved)
        kettle.level = 1
        #expect(log.take() == ["told"])
        token.invalidate()
        #expect(!Self.ways[other](kettle).isObserved)
    }

    @Test(
        "1.8 A controller that ignores duplicates takes both ways for one, and ends it by either", arguments: 0..<2,
        0..<2)
    func controller(way: Int, other: Int) {
        let kettle = SmallKettle() as Kettle
        let controller = KVOController(observer: log, duplicates: .ignore)
        func observe(_ way: Int, _ line: String) {
            if way == 0 {
                controller.observe(kettle, \.level) { log, _, _ in log.add(line) }
            } else {
                controller.observe(kettle as Vessel, \.level) { log, _, _ in log.add(line) }
            }
        }
        func end(_ way: Int) {
            if way == 0 {
                controller.unobserve(kettle, \.level)
            } else {
                controller.unobserve(kettle as Vessel, \.level)
            }
        }
        observe(way, "first")
        observe(other, "second")
        kettle.level = 1
        #expect(log.take() == ["first"])
        end(other)
        kettle.level = 2
        #expect(log.take() == [])
    }
}

private class Vessel: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
}

/// An override in a final class would be a target of its own.
private class Kettle: Vessel {
    override var level: Int {
        get { super.level }
        set { super.level = newValue }
    }
}

private final class SmallKettle: Kettle {}
