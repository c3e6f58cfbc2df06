// Properties of superclasses: what stands between them and the object's own class may change what their getters return.
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.1 Inherited properties")
struct InheritedPropertyTests {
    private let watcher = Watcher()
    private var log: Log { watcher.log }

    @Test(
        "4.1 An announced change of an inherited property notifies who observes it as a subclass overrides it")
    func announcedAsInherited() {
        let tray = FullTray()
        let log = Log()
        let tokens = [
            tray.observe(\.items, options: [.old, .new]) { log.add($1, as: "overridden") },
            (tray as Tray).observe(\.items, options: [.old, .new]) { log.add($1, as: "inherited") },
        ]
        (tray as Tray).changeValue(for: \.items) {}
        #expect(log.take() == ["overridden [1]→[1]", "inherited [1]→[1]"])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.1 A subclass that overrides no property: what is stored is delivered, however the key path is written")
    func plain() {
        let sedan = Sedan(speed: 1)
        watcher.watch(sedan, \.speed)
        watcher.watch((sedan as Vehicle), \.speed, [.new])
        sedan.speed = 2
        sedan.speed += 1
        sedan.stop()
        #expect(log.take() == ["1→2", "·→2", "2→3", "·→3", "3→0", "·→0"])
    }

    @Test("2.1 An override two classes below is delivered as it is seen, also when something else it reads changes")
    func overridden() {
        let governed = GovernedSedan(speed: 50)
        watcher.watch((governed as Vehicle), \.speed)
        watcher.watch((governed as Sedan), \.speed)
        watcher.watch(governed, \.speed)
        governed.speed = 120
        governed.limit = 80
        governed.speed = 10
        #expect(log.take() == ["50→100", "100→80", "80→10"].flatMap { [$0, $0, $0] })
    }

    @Test("2.1 A property below an override, or of a generic class, is evaluated, too")
    func overriddenAbove() {
        for sedan in [HeavySedan(speed: 200), LoadedSedan<Int>(speed: 200)] {
            watcher.watch(sedan, \.speed)
            sedan.speed = 30
        }
        #expect(log.take() == ["100→30", "100→30"])
    }
}

private class Vehicle: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var speed: Int

    init(speed: Int) {
        self.speed = speed
    }

    func stop() { speed = 0 }
}

/// Overrides what is no property.
private class Sedan: Vehicle {
    override init(speed: Int) {
        super.init(speed: speed)
    }

    override func stop() {
        super.stop()
    }
}

private class GovernedSedan: Sedan {
    @Observed var limit = 100

    override var speed: Int {
        get { min(super.speed, limit) }
        set { super.speed = newValue }
    }
}

private final class HeavySedan: GovernedSedan {
    override func stop() {}
}

private final class LoadedSedan<Load>: GovernedSedan {
    var loads: [Load] = []
}

private class Tray: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Int] = []
}

private final class FullTray: Tray {
    @Observed var extra = 1
    override var items: [Int] {
        get { super.items + [extra] }
        set { super.items = newValue }
    }
}
