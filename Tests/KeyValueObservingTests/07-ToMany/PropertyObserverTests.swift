// A property's own willSet and didSet beside its observers: sections 3 and 7.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.3 7.1 The willSet and didSet of a property")
struct PropertyObserverTests {
    let log = Log()

    @Test("3.3 Observers are called after willSet and before didSet")
    func order() {
        let dimmer = Dimmer(log)
        let token = dimmer.observe(\.levels, options: [.prior, .old, .new]) { log.add($1) }
        dimmer.levels = [1]
        #expect(log.take() == ["willSet [1]", "prior []→·", "[]→[1]", "didSet []"])
        withExtendedLifetime(token) {}
    }

    @Test("7.1 A view changes what is stored, without willSet and didSet, and its observers are called")
    func view() {
        let dimmer = Dimmer(log)
        let token = dimmer.observe(\.levels, options: .new) { log.add($1) }
        dimmer.mutable(\.levels).append(1)
        dimmer.mutable(\.levels).value = [2]
        #expect(log.take() == ["insertion ·→[1]", "·→[2]"])
        withExtendedLifetime(token) {}
    }

    @Test("7.1 If the object's class overrides the property, a view calls the setter, and then the observers")
    func overridden() {
        let dimmer = WatchedDimmer(log)
        let token = (dimmer as Dimmer).observe(\.levels, options: .new) { log.add($1) }
        (dimmer as Dimmer).mutable(\.levels).append(1)
        #expect(log.take() == ["willSet [1]", "didSet []", "overridden didSet", "insertion ·→[1]"])
        withExtendedLifetime(token) {}
    }
}

private class Dimmer: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let log: Log
    @Observed var levels: [Int] = [] {
        willSet { log.add("willSet \(newValue)") }
        didSet { log.add("didSet \(oldValue)") }
    }

    init(_ log: Log) { self.log = log }
}

private final class WatchedDimmer: Dimmer {
    override var levels: [Int] {
        didSet { log.add("overridden didSet") }
    }
}
