// Conformance cases of group 21: what distinguishes registrations of one key path.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("Conformance 21: contexts")
struct DuplicateCases {
    private let person = Person()

    @Test("#351 Each registration gets its own context back, as it was given")
    func contexts() {
        final class Token {}
        let screen = Spectator()
        let contexts = [Token(), Token(), Token()].map { AnyHashable(ObjectIdentifier($0)) }
        screen.kvo.observe(person, \.age, context: contexts[0])
        screen.kvo.observe(person, \.name, context: contexts[1])
        screen.kvo.observe(person, \.tags, context: contexts[2])
        var received: [AnyHashable?] = []
        person.age = 1
        received.append(screen.lastContext)
        person.tags = []
        received.append(screen.lastContext)
        person.name = "a"
        received.append(screen.lastContext)
        #expect(received == [contexts[0], contexts[2], contexts[1]])
    }

    @Test("#351 A handler without a context gets none")
    func noContext() {
        let screen = Spectator()
        screen.kvo.observe(person, \.age, options: .new, context: nil)
        person.age = 1
        #expect(screen.log.take() == ["screen ·→1"])
        #expect(screen.lastContext == nil)
    }

    @Test("#353 What a handler captured is there when it is called, for each registration its own")
    func captures() {
        let log = Log()
        let people = [person, Person(), Person()]
        let tokens = people.enumerated().map { index, person in
            person.observe(\.age, options: .new) { log.add($1, as: "user info \(index)") }
        }
        people[2].age = 2
        people[0].age = 1
        #expect(log.take() == ["user info 2 ·→2", "user info 0 ·→1"])
        withExtendedLifetime(tokens) {}
    }
}
