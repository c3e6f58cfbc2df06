// The smallest programs in which something else was delivered than the model of `Programs` expects.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Paths that are led away, and changes inside changes")
struct LedAwayTests {
    private let log = Log()
    private let person = Person()
    private let friend = Person()
    private let other = Person()

    private func friendsAge() -> KeyValueObservation {
        person.friend = friend
        return person.observe(\.friend?.age, options: [.old, .new]) { log.add($1) }
    }

    @Test("3.5 A path is led away from a property during its change: the old value is what was delivered last")
    func ledAway() {
        let observation = friendsAge()
        other.age = 7
        friend.willChangeValue(for: \.age)
        friend.age = 5
        person.friend = other
        #expect(log.take() == ["0→7"])
        friend.didChangeValue(for: \.age)
        #expect(log.take() == [])
        withExtendedLifetime(observation) {}
    }

    @Test("3.5 A handler that is called before the change leads a path away after it has set the property itself")
    func ledAwayInPrior() {
        let observation = friendsAge()
        other.age = 7
        let meddler = friend.observe(\.age, options: .prior) { [person, other] friend, change in
            guard change.isPrior else { return }
            friend.age = 5
            person.friend = other
        }
        friend.age = 1
        #expect(log.take() == ["0→7"])
        withExtendedLifetime((observation, meddler)) {}
    }

    @Test("P1 A handler that is called before the change sets the property, and has the path notified of that")
    func deliveredInPrior() {
        let observation = friendsAge()
        let meddler = friend.observe(\.age, options: .prior) { [person] friend, change in
            guard change.isPrior else { return }
            friend.age = 5
            person.friend = friend
        }
        friend.age = 1
        #expect(log.take() == ["0→5", "5→1"])
        withExtendedLifetime((observation, meddler)) {}
    }

    @Test("3.5 Sets and changes in place inside a manual change belong to it, also for a path that ends there")
    func inPlaceInside() {
        let observation = friendsAge()
        friend.willChangeValue(for: \.age)
        friend.age = 5
        friend.age += 1
        friend.didChangeValue(for: \.age)
        #expect(log.take() == ["0→6"])
        withExtendedLifetime(observation) {}
    }

    @Test("2.4 Before a computed property is announced as changing, its observers get the old value of the change")
    func priorOfAnnounced() {
        let observation = person.observe(\.summary, options: [.old, .new, .prior]) { log.add($1) }
        person.willChangeValue(for: \.age)
        person.age = 5
        person.willChangeValue(for: \.summary)
        person.didChangeValue(for: \.summary)
        person.didChangeValue(for: \.age)
        #expect(log.take() == ["prior , 0→·", "prior , 0→·", ", 0→, 5", ", 5→, 5"])
        withExtendedLifetime(observation) {}
    }

    @Test("3.5 A didChangeValue whose deliveries lead to another one of the same change is a surplus one")
    func didInsideDid() {
        let observations = [
            person.observe(\.name, options: [.old, .new]) { log.add($1) },
            person.observe(\.age) { person, _ in person.didChangeValue(for: \.name) },
            person.observe(\.age) { person, _ in person.didChangeValue(for: \.name) },
        ]
        person.willChangeValue(for: \.name)
        person.name = "A"
        person.age = 1
        #expect(log.take() == ["→A"])
        withExtendedLifetime(observations) {}
    }

    @Test("3.5 A path is observed, then led to a property that is changing: it is delivered when the change ends")
    func ledThereLater() {
        let first = friend.observe(\.age) { _, _ in }
        let observation = person.observe(\.friend?.age, options: [.old, .new]) { log.add($1) }
        friend.willChangeValue(for: \.age)
        person.friend = friend
        friend.age = 5
        friend.didChangeValue(for: \.age)
        #expect(log.take() == ["nil→0", "0→5"])
        withExtendedLifetime((first, observation)) {}
    }

    @Test("4.1 A willChangeValue whose deliveries lead to a new observer of the key path speaks for that one too")
    func willFindsNewObservers() {
        let latest = Guarded<KeyValueObservation?>(nil)
        let observations = [
            person.observe(\.age) { person, _ in
                person.willChangeValue(for: \.summary)
                person.name = "A"
                person.name = "B"
                person.didChangeValue(for: \.summary)
            },
            person.observe(\.age) { [log] person, _ in
                latest.withLock { $0 }?.invalidate()
                let observation = person.observe(\.summary, options: [.old, .new]) { log.add($1) }
                latest.withLock { $0 = observation }
            },
        ]
        latest.withLock { $0 = person.observe(\.summary) { _, _ in } }
        person.age = 1
        #expect(log.take() == [", 1→B, 1"])
        latest.withLock { $0 = nil }
        withExtendedLifetime(observations) {}
    }

    @Test("3.5 A change that ends in the getter that leads a path back to its property is delivered to the path")
    func endedWhileLedBack() {
        let dial = Dial()
        let chain = Chain<Int>()
        let observation = dial.observe(\.shown, options: [.old, .new]) { chain.add($1) }
        dial.willChangeValue(for: \.level)
        dial.showsLevel = false
        dial.afterRead = { dial in
            dial.raw = 5
            dial.didChangeValue(for: \.level)
        }
        dial.showsLevel = true
        #expect(chain.breaks(from: 0, to: 5) == "")
        withExtendedLifetime(observation) {}
    }

}

private final class Dial: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var showsLevel = true
    var raw = 0
    /// Called once, when the level has been read.
    var afterRead: ((Dial) -> Void)?
    var shown: Int { showsLevel ? level : -1 }
    var level: Int {
        accessValue(for: \.level)
        let level = raw
        let afterRead = afterRead
        self.afterRead = nil
        afterRead?(self)
        return level
    }
}
