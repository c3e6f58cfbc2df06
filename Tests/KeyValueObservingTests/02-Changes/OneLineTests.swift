// One line of a program that makes several registrations, each of which asks for something else: 2.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.5 Registrations that one line makes")
struct OneLineTests {
    private let person = Person()
    private let log = Log()

    @Test("2.5 Skipping equal values is up to each registration, whichever comes first", arguments: [true, false])
    func tokens(skipsFirst: Bool) {
        let tokens = [skipsFirst, !skipsFirst].map { skips in
            person.observe(\.age, options: skips ? [.old, .new, .distinct] : [.old, .new]) { [log] in
                log.add($1, as: skips ? "skips" : "keeps")
            }
        }
        person.age = 0
        #expect(log.take() == ["keeps 0→0"])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.1 D1 One key path object registered at two places, with two sets of options: each keeps its own")
    func places() {
        let age = \Person.age
        let tokens = [
            observe(age, [], at: 1), observe(age, [], at: 2), observe(age, [.old], at: 2),
            observe(age, [.old], in: "B/B.swift", at: 2),
        ]
        person.age = 1
        #expect(log.take() == ["·→·", "·→·", "0→·", "0→·"])
        #expect(
            person.observationInfo.map { "\($0.fileID):\($0.line) \($0.options)" } == [
                "A/A.swift:1 []", "A/A.swift:2 []", "A/A.swift:2 [old]", "B/B.swift:2 [old]",
            ])
        withExtendedLifetime(tokens) {}
    }

    private func observe(
        _ keyPath: KeyPath<Person, Int>, _ options: KeyValueObservingOptions, in fileID: StaticString = "A/A.swift",
        at line: UInt
    ) -> KeyValueObservation {
        person.observe(keyPath, options: options, fileID: fileID, line: line) { [log] in log.add($1) }
    }

    @Test("2.1 Registrations that need other values than they carry are distinguished from others of the same line")
    func needs() {
        let age = \Person.age
        let tokens = [false, true, false].map { skips in
            skips
                ? person.observe(age, options: .distinct, fileID: "A/A.swift", line: 1) { [log] in
                    log.add($1, as: "skips")
                } : observe(age, [], at: 1)
        }
        person.age = 0
        person.age = 1
        #expect(log.take() == ["·→·", "·→·", "·→·", "skips ·→·", "·→·"])
        withExtendedLifetime(tokens) {}
    }

    @Test("D1 A token and two observers' controllers at one line: each is listed with its own observer")
    func observers() {
        let age = \Person.age
        let other = Onlooker()
        let controllers = (KVOController(observer: log), KVOController(observer: other))
        let token = observe(age, [], at: 1)
        controllers.0.observe(person, age, fileID: "A/A.swift", line: 1) { _, _, _ in }
        controllers.1.observe(person, age, fileID: "A/A.swift", line: 1) { _, _, _ in }
        let last = observe(age, [], at: 1)
        #expect(person.observationInfo.map(\.observer) == [nil, "Log", "Onlooker", nil])
        withExtendedLifetime((token, last)) {}
    }
}

private final class Onlooker {}
