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
}
