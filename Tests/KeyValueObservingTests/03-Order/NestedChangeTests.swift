// Changes that handlers make: what comes first, and what waits.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("P3 3.4 3.8 Changes in handlers")
struct NestedChangeTests {
    private let kept = Kept()
    private let person = Person()
    private let log = Log()

    // MARK: A registration is not entered while it runs

    @Test(
        "P3 A handler that trims its own list is never inside itself, and every way to change it tells all",
        arguments: 0..<5)
    func trimming(way: Int) {
        var (depth, deepest, count) = (0, 0, 0)
        person.observe(\.tags) { person, _ in
            depth += 1
            deepest = max(deepest, depth)
            count += 1
            defer { depth -= 1 }
            while person.tags.count > 5 {
                switch way {
                case 0: person.mutable(\.tags).removeFirst()
                case 1: person.tags.removeFirst()
                case 2: person.tags = Array(person.tags.dropFirst())
                case 3: person.changeValue(for: \.tags) { _ = person.tags.removeFirst() }
                default: withKeyValueTransaction { _ = person.mutable(\.tags).removeFirst() }
                }
            }
        }.store(in: kept)
        withKeyValueTransaction { for index in 0..<20 { person.mutable(\.tags).append("\(index)") } }
        #expect(person.tags == (15..<20).map { "\($0)" } && deepest == 1 && count == 1 + 15)
        person.tags += ["x", "y"]
        #expect(person.tags.count == 5 && person.tags.last == "y" && deepest == 1)
    }

    @Test(
        "P3 A change in a handler of the same property is told to the others at once, and to the handler when it returns"
    )
    func waiting() {
        let tokens = [
            person.observe(\.age, options: [.old, .new, .prior]) { person, change in
                log.add(change, as: "first")
                guard !change.isPrior, change.newValue == 1 else { return }
                for age in 2...3 { person.age = age }
                log.add("first returns")
            },
            person.observe(\.age, options: [.old, .new]) { log.add($1, as: "second") },
        ]
        person.age = 1
        #expect(
            log.take() == [
                "first prior 0→·", "first 0→1", "second 0→1", "second 1→2", "second 2→3", "first returns",
                "first prior 1→·", "first 1→2", "first prior 2→·", "first 2→3",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "P3 The registrations of one list count as one: a handler that sets another one of its key paths is called for it later",
        arguments: 0..<4)
    func lists(way: Int) throws {
        let (keyPaths, options) = (
            [\Customer.age, \.name] as [PartialKeyPath<Customer>], [.old, .new] as KeyValueObservingOptions
        )
        let (controller, log) = (KVOController(observer: log), log)
        let person = Customer()
        var isRunning = false
        func handle(_ person: Customer, _ change: KeyValueObservedChange<Any>) {
            #expect(!isRunning)
            isRunning = true
            defer { isRunning = false }
            log.add(text(of: change))
            if person.name.isEmpty { person.name = "x" }
        }
        var token: KeyValueObservation?
        switch way {
        case 0: token = person.observe(keyPaths: keyPaths, options: options) { handle($0, $1) }
        case 1: controller.observe(person, keyPaths: keyPaths, options: options) { handle($1, $2) }
        case 2: person.addObserver(log, for: keyPaths, options: options) { handle($1, $2) }
        default: try controller.observe(person, keyPaths: ["age", "name"], options: options) { handle($1, $2) }
        }
        person.age = 1
        #expect(log.take() == ["0→1", "→x"])
        withExtendedLifetime((token, controller)) {}
    }

    @Test("P3 13.1 What a handler of the target sets in the source is passed on when the binding has returned")
    func bindings() {
        let other = Person()
        let tokens = [
            person.bind(\.age, to: other, \.age),
            other.observe(\.age, options: [.old, .new]) { [person] other, change in
                log.add(change, as: "other")
                if other.age > 10 { person.age = 10 }
                log.add("\(person.age), \(other.age)")
            },
        ]
        person.age = 20
        #expect(log.take() == ["other 0→20", "10, 20", "other 20→10", "10, 10"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P3 A call that waits for a handler is not made once its registration has ended")
    func ended() {
        var token: KeyValueObservation?
        token = person.observe(\.age, options: .new) { person, change in
            log.add(change)
            person.age += 1
            token?.invalidate()
        }
        person.age = 1
        #expect(log.take() == ["·→1"] && person.age == 2)
    }

    @Test("P3 1.3 A change that a handler makes in its initial call is delivered to it after that call")
    func initial() {
        person.observe(\.age, options: [.initial, .new]) { person, change in
            log.add(change)
            if person.age < 3 { person.age += 1 }
            log.add("returns")
        }.store(in: kept)
        #expect(log.take() == ["·→0", "returns", "·→1", "returns", "·→2", "returns", "·→3", "returns"])
    }

    // MARK: What a change completes

    // #71
    @Test("P3 3.4 A change completes what it concerns, and leaves the rest of another property's observers")
    func concerned() {
        let tokens = [
            person.observe(\.age) { person, _ in
                person.name = "x"
                log.add("set")
            },
            person.observe(\.summary, options: [.old, .new]) { log.add($1, as: "summary") },
            person.observe(\.age, options: [.old, .new]) { log.add($1, as: "age") },
            person.observe(\.name, options: [.old, .new]) { log.add($1, as: "name") },
        ]
        person.age = 1
        #expect(log.take() == ["summary , 0→, 1", "summary , 1→x, 1", "name →x", "set", "age 0→1"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P3 In a transaction's delivery, the remaining calls of a property come before a handler changes it again")
    func concernedInTransaction() {
        let other = Person()
        let tokens = [
            person.observe(\.age) { [other] _, _ in if other.age == 2 { other.age = 3 } },
            other.observe(\.age, options: [.old, .new]) { log.add($1, as: "other") },
            person.observe(\.name, options: [.old, .new]) { log.add($1, as: "name") },
        ]
        withKeyValueTransaction { (person.age, person.name, other.age) = (1, "x", 2) }
        #expect(log.take() == ["other 0→2", "other 2→3", "name →x"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P3 13.3 Changes completed inside ignoringChanges are delivered to the registration that ignores later ones")
    func ignoringInside() {
        var second: KeyValueObservation?
        let first = person.observe(\.age) { person, _ in
            if person.age == 1 { second?.ignoringChanges { person.age = 2 } }
        }
        second = person.observe(\.age, options: [.old, .new]) { log.add($1) }
        person.age = 1
        person.age = 3
        #expect(log.take() == ["0→1", "2→3"])
        withExtendedLifetime((first, second)) {}
    }

    // MARK: Many

    @Test("P3 However many observed objects a handler's change reaches, the stack does not grow", arguments: 0..<5)
    func many(way: Int) {
        let count = 20_000
        let people = (0..<count).map { _ in Person() }
        let shown = people.map { $0.observe(\.age) { _, _ in } }
        var tokens: [KeyValueObservation] = []
        switch way {
        case 0:
            tokens = people.map { person.bind(\.age, to: $0, \.age) }
            person.age = 5
        case 1:
            tokens = people.map { other in person.observe(\.age) { person, _ in other.age = person.age } }
            person.age = 5
        case 2:
            tokens = people.map { $0.observe(\.age) { person, _ in if person.age > 5 { person.age = 5 } } }
            withKeyValueTransaction { for person in people { person.age = 9 } }
        case 3:
            tokens = people.map { person.bindBothWays(\.age, to: $0, \.age) }
            people[count / 2].age = 5
        default:
            let band = Team(people)
            tokens = [band.observe(eachOf: \.people, \.age) { _, person, _ in if person.age > 5 { person.age = 5 } }]
            withKeyValueTransaction { for person in people { person.age = 9 } }
        }
        #expect(people.allSatisfy { $0.age == 5 })
        withExtendedLifetime((shown, tokens)) {}
    }

    @Test(
        "3.8 A chain of 3,000 bindings passes a value on",
        .disabled(if: isUnderThreadSanitizer, "it has a stack of its own"))
    func chain() {
        // What is not optimized takes several times as much of the stack, and more under the address sanitizer.
        onAThread(stackSize: 64 << 20) {
            let people = (0...3_000).map { _ in Person() }
            let tokens = zip(people, people.dropFirst()).map { $0.bind(\.age, to: $1, \.age) }
            people[0].age = 1
            #expect(people[3_000].age == 1)
            withExtendedLifetime(tokens) {}
        }
    }

    @Test(
        "3.8 Changes in a row are delivered in a loop: 9,000 of a handler's own, and as many of two that set each other"
    )
    func row() {
        let other = Person()
        let tokens = [
            person.observe(\.age) { person, _ in if person.age < 9_000 { person.age += 1 } },
            person.observe(\.months) { [other] person, _ in other.age = person.age },
            other.observe(\.age, options: .new) { [log] in if $1.newValue == 9_000 { log.add("done") } },
        ]
        person.age = 1
        #expect(person.age == 9_000 && other.age == 9_000 && log.take() == ["done"])
        withExtendedLifetime(tokens) {}
    }
}

private final class Team: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var people: [Person]

    init(_ people: [Person]) { self.people = people }
}
