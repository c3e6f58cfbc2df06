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
            person.observe(\.age, options: [.old, .new], skipsEqualValues: skips) { [log] in
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
            controller.observe(person, \.age, options: [.old, .new], skipsEqualValues: skips) { log, _, change in
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
