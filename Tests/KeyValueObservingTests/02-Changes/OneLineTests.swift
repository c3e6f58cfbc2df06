// One line of a program that makes several registrations, each of which asks for something else: 2.5.
import KeyValueCoding
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

    @Test("2.5 So it is with a controller", arguments: [true, false])
    func controller(skipsFirst: Bool) {
        let controller = KVOController(observer: log, duplicates: .allow)
        for skips in [skipsFirst, !skipsFirst] {
            controller.observe(person, \.age, options: skips ? [.old, .new, .distinct] : [.old, .new]) {
                log, _, change in
                log.add(change, as: skips ? "skips" : "keeps")
            }
        }
        person.age = 0
        #expect(log.take() == ["keeps 0→0"])
    }

    @Test("2.5 11.1 One line may register with and without an actor")
    func actors() async {
        let received = Received()
        var tokens: [KeyValueObservation] = []
        for isElsewhere in [true, false, true] {
            tokens.append(
                isElsewhere
                    ? person.observe(\.age, options: [.old, .new], on: received) { $0.add($1.newValue!) }
                    : person.observe(\.age, options: [.old, .new]) { [log] in log.add($1) })
        }
        person.age = 1
        #expect(log.take() == ["0→1"])
        #expect(await received.values(2) == [1, 1])
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

    @Test("2.1 Registrations that need other values than they carry are told apart from others of the same line")
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

    @Test("2.5 11.1 One key path object registered at one place with and without an actor")
    func actorsAtOnePlace() async {
        let age = \Person.age
        let received = Received()
        let tokens = [
            person.observe(age, options: [.old, .new], on: received, fileID: "A/A.swift", line: 1) {
                $0.add($1.newValue!)
            },
            observe(age, [.old, .new], at: 1),
            person.observe(age, options: [.old, .new], on: received, fileID: "A/A.swift", line: 1) {
                $0.add($1.newValue!)
            },
        ]
        person.age = 1
        #expect(log.take() == ["0→1"])
        #expect(await received.values(2) == [1, 1])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.5 11.1 So it is registered alone and together with another one")
    func aloneAndTogether() async {
        let age = \Person.age
        let received = Received()
        let tokens = [
            person.observe(age, options: .new, on: received, fileID: "A/A.swift", line: 1) { $0.add($1.newValue!) },
            person.observe(age, \.name, options: .new, on: received, fileID: "A/A.swift", line: 1) {
                $0.add($1.newValue as? Int ?? -1)
            },
        ]
        person.age = 1
        #expect(await received.values(2) == [1, 1])
        withExtendedLifetime(tokens) {}
    }

    @Test("D1 So is one that registers by several names of one property")
    func namesOfOneProperty() throws {
        let coded = CodedPair()
        let tokens = try ["first", "number", "first"].map { name in
            try coded.observe(name, options: [], fileID: "A/A.swift", line: 1) { _, _ in }
        }
        #expect(coded.observationInfo.map(\.keyPath) == ["first", "number", "first"])
        withExtendedLifetime(tokens) {}
    }

    @Test("D1 One line that registers by name is listed with each name as it was given")
    func names() throws {
        let coded = CodedPair()
        let tokens = try ["first", "pair.first", "first"].map { name in
            try coded.observe(name, options: [], fileID: "A/A.swift", line: 1) { _, _ in }
        }
        #expect(coded.observationInfo.map(\.keyPath) == ["first", "pair.first", "first"])
        withExtendedLifetime(tokens) {}
    }

    @Test("9.3 A line may register on one actor after another, although those before are gone")
    func actorsThatAreGone() async {
        let dial = Dial()
        for number in 1...100 {
            let received = Received()
            let token = await received.observe(dial, log)
            token.invalidate()
            #expect(await received.values(0) == [], "actor \(number)")
        }
        dial.number = 1
        #expect(log.take() == [])
    }
}

private final class Onlooker {}

private final class CodedPair: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 1
    @Observed var pair: CodedPair?

    private static let firstKeyPath = \CodedPair.first
    static var keyPathsByKey: [String: AnyKeyPath] {
        ["first": firstKeyPath, "number": firstKeyPath, "pair": \CodedPair.pair]
    }
}

private actor Received {
    private var values: [Int] = []
    private var waiting: (count: Int, continuation: CheckedContinuation<[Int], Never>)?

    func add(_ value: Int) {
        values.append(value)
        guard let waiting, values.count >= waiting.count else { return }
        self.waiting = nil
        waiting.continuation.resume(returning: values)
    }

    /// What was received, once there is so much of it.
    func values(_ count: Int) async -> [Int] {
        if values.count >= count { return values }
        return await withCheckedContinuation { waiting = (count, $0) }
    }

    /// Registers a handler that belongs to this actor.
    func observe(_ dial: Dial, _ log: Log) -> KeyValueObservation {
        dial.observe(\.number) { _, change in
            self.values.append(0)
            log.add(change)
        }
    }
}

/// The test guards it.
private final class Dial: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
}
