// Conformance cases of groups 16 and 17: registering and removing while a change is being delivered.
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("Conformance 16 and 17: removing and adding during a notification")
struct DuringNotificationCases {
    private let person = Person()
    private let watcher = Watcher()
    private let log = Log()

    @Test("#319 An observer that an earlier one removes and releases is not notified (3.6)")
    func removedByEarlier() {
        var victim: Spectator?
        let token = person.observe(\.age, options: .new) { [log] person, change in
            log.add(change, as: "remover")
            victim?.kvo.unobserve(person)
            victim = nil
        }
        victim = Spectator("victim", log: log)
        weak let gone = victim
        victim?.kvo.observe(person, \.age, options: .new) { $0.log.add($2, as: $0.name) }
        person.age = 1
        #expect(gone == nil)
        person.age = 2
        #expect(log.take() == ["remover ·→1", "remover ·→2"])
        withExtendedLifetime(token) {}
    }

    @Test("#319 An observer that a later one removes was notified of this change, and of none after")
    func removedByLater() {
        var victim: KeyValueObservation? = watcher.watch(person, \.age, as: "victim", .new)
        let token = person.observe(\.age, options: .new) { [watcher] _, change in
            watcher.log.add(change, as: "remover")
            victim?.invalidate()
            victim = nil
        }
        person.age = 1
        person.age = 2
        #expect(watcher.take() == ["victim ·→1", "remover ·→1", "remover ·→2"])
        withExtendedLifetime(token) {}
    }

    @Test("#319 An observer that is removed in a prior call is not notified of the change itself (3.6)")
    func removedInPrior() {
        var victim: KeyValueObservation?
        let token = person.observe(\.age, options: .prior) { [log] _, change in
            log.add(change, as: "remover")
            victim?.invalidate()
        }
        victim = person.observe(\.age, options: .prior) { [log] _, change in log.add(change, as: "victim") }
        person.age = 1
        #expect(log.take() == ["remover prior ·→·", "remover ·→·"])
        withExtendedLifetime(token) {}
    }

    @Test("#320 An observer may remove itself and drop its last owner while it is notified (3.7)")
    func removesItself() {
        final class Owner {
            var screen: Spectator?
        }
        let owner = Owner()
        owner.screen = Spectator(log: log)
        weak let gone = owner.screen
        owner.screen?.kvo.observe(person, \.age, options: .new) { screen, person, change in
            screen.kvo.unobserve(person)
            owner.screen = nil
            // Still there for the rest of the call.
            screen.log.add(change, as: screen.name)
        }
        person.age = 1
        #expect(gone == nil)
        person.age = 2
        #expect(log.take() == ["screen ·→1"])
    }

    @Test("#320 A handler that releases its own token, and with it what it captured, runs to its end (3.7)")
    func releasesItsToken() {
        final class Captured {
            var name = "captured"
        }
        let captured = Captured()
        var token: KeyValueObservation?
        token = person.observe(\.age) { [log] _, change in
            token = nil
            log.add(change, as: captured.name)
        }
        person.age = 1
        person.age = 2
        #expect(log.take() == ["captured ·→·"])
        #expect(token == nil)
    }

    @Test("#322 An observer of the source removes one of the dependent key, which is not notified any more (3.6)")
    func removedThroughDependent() {
        var dependent: KeyValueObservation?
        let source = person.observe(\.age) { [log] _, change in
            log.add(change, as: "source")
            dependent?.invalidate()
        }
        dependent = person.observe(\.isAdult) { [log] _, change in log.add(change, as: "dependent") }
        person.age = 18
        #expect(log.take() == ["source ·→·"])
        withExtendedLifetime(source) {}
    }

    @Test("#323 A class may observe the same key path elsewhere while it is asked about it")
    func observesWhileAsked() {
        let curious = Curious()
        watcher.watch(curious, \.name, .new)
        curious.name = "a"
        #expect(watcher.take() == ["·→a"])
        let asked = Curious.asked.withLock { $0 }
        #expect(asked.contains("automatic name") && asked.contains("affecting name"))
        #expect(asked.allSatisfy { $0.hasSuffix(" name") })
        #expect(asked.count == 2, "once for each class and property")
    }

    @Test(
        "#324 An observer added during a change is notified of the next one (3.6)", arguments: [true, false])
    func addedDuring(inPrior: Bool) {
        var isAdded = false
        let token = person.observe(\.age, options: .prior) { [watcher] person, change in
            guard change.isPrior == inPrior, !isAdded else { return }
            isAdded = true
            watcher.watch(person, \.age, as: "property", .new)
            watcher.watch(person, \.isAdult, as: "computed", .new)
        }
        person.age = 1
        #expect(watcher.take() == [])
        person.age = 18
        #expect(watcher.take() == ["property ·→18", "computed ·→true"])
        withExtendedLifetime(token) {}
    }
}

/// Observes another object at the key path it is asked about, and drops that again.
private final class Curious: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var name = ""
    static let asked = Mutex<[String]>([])

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        note("automatic", keyPath)
        return true
    }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        note("affecting", keyPath)
        return []
    }

    private static func note(_ question: String, _ keyPath: AnyKeyPath) {
        asked.withLock { $0.append("\(question) \(keyPath == \Curious.name ? "name" : "\(keyPath)")") }
        let other = Curious()
        var count = 0
        let token = other.observe(\.name) { _, _ in count += 1 }
        other.name = "x"
        token.invalidate()
        other.name = "y"
        #expect(count == 1)
    }
}
