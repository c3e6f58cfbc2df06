// A property whose override reads nothing else is one target, however it is written: 1.8.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 A property whose override reads nothing else is one target, however it is written")
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
            { kettle in
                (
                    kettle.isObserved(leveled(Kettle.self)),
                    { body in kettle.observe(leveled(Kettle.self)) { _, _ in body() } }
                )
            },
            { kettle in
                let vessel = kettle as Vessel
                return (
                    vessel.isObserved(leveled(Vessel.self)),
                    { body in vessel.observe(leveled(Vessel.self)) { _, _ in body() } }
                )
            },
        ]

    @Test(
        "1.8 D2 Who observes it one way is found another way that was used before, as long as it is observed",
        .needsReadableKeyPaths,
        arguments: 0..<4, 0..<4)
    func asking(way: Int, other: Int) {
        let kettle = SmallKettle() as Kettle
        // Asking reads nothing: what a protocol writes is known once it was observed.
        Self.ways[other](kettle).observe {}.invalidate()
        let token = Self.ways[way](kettle).observe { [log] in log.add("told") }
        #expect(Self.ways[other](kettle).isObserved)
        kettle.level = 1
        #expect(log.take() == ["told"])
        token.invalidate()
        #expect(!Self.ways[other](kettle).isObserved)
    }

    @Test(
        "1.8 A controller that ignores duplicates takes all ways for one, and ends it by any of them",
        .needsReadableKeyPaths, arguments: 0..<4, 0..<4)
    func controller(way: Int, other: Int) {
        let kettle = SmallKettle() as Kettle
        let controller = KVOController(observer: log, duplicates: .ignore)
        func observe(_ way: Int, _ line: String) {
            switch way {
            case 0: controller.observe(kettle, \.level) { log, _, _ in log.add(line) }
            case 1: controller.observe(kettle as Vessel, \.level) { log, _, _ in log.add(line) }
            case 2: controller.observe(kettle, leveled(Kettle.self)) { log, _, _ in log.add(line) }
            default: controller.observe(kettle as Vessel, leveled(Vessel.self)) { log, _, _ in log.add(line) }
            }
        }
        func end(_ way: Int) {
            switch way {
            case 0: controller.unobserve(kettle, \.level)
            case 1: controller.unobserve(kettle as Vessel, \.level)
            case 2: controller.unobserve(kettle, leveled(Kettle.self))
            default: controller.unobserve(kettle as Vessel, leveled(Vessel.self))
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

private protocol Leveled: KeyValueObservable {
    var level: Int { get }
}

private func leveled<Object: Leveled>(_ type: Object.Type) -> KeyPath<Object, Int> { \Object.level }

private class Vessel: KeyValueObservable, Leveled {
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
