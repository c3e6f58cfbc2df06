// Removing, and who dies first: rows B1 to B15 of the features, and 9.4 and 9.5 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Removal and lifetime")
struct LifetimeTests {
    private let person = Person()
    private let screen = Screen()

    @Test("B1 Unobserve a key path, an object, everything; the last one releases the object (#25)")
    func unobserve() {
        let other = Person()
        let controller = KVOController(observer: screen)
        for subject in [person, other] {
            controller.observe(subject, \.age) { screen, _, _ in screen.log.add("age") }
            controller.observe(subject, \.name) { screen, _, _ in screen.log.add("name") }
        }
        func told() -> [String] {
            for subject in [person, other] {
                subject.age += 1
                subject.name += "x"
            }
            return screen.log.take()
        }
        #expect(told() == ["age", "name", "age", "name"])
        controller.unobserve(person, \.age)
        controller.unobserve(person, \.age)
        #expect(told() == ["name", "age", "name"])
        controller.unobserve(other)
        #expect(told() == ["name"])
        controller.unobserveAll()
        #expect(told() == [])
    }

    @Test("1.2 invalidate() may be called while it releases the handler, and leaves a newer registration alone")
    func invalidatedByItsHandlersDeath() {
        let log = Log()
        var token: KeyValueObservation?
        var newer: KeyValueObservation?
        var last: AtDeath? = AtDeath { [person] in
            newer = person.observe(\.age) { _, _ in log.add("newer") }
            token?.invalidate()
        }
        token = person.observe(\.age) { [last] _, _ in withExtendedLifetime(last) {} }
        last = nil
        token?.invalidate()
        person.age = 1
        #expect(log.take() == ["newer"])
        withExtendedLifetime((token, newer)) {}
    }

    @Test("B4 The controller's death ends its registrations (#333)")
    func controllerDies() {
        var controller: KVOController<Screen>? = KVOController(observer: screen)
        controller?.observe(person, \.age) { screen, _, _ in screen.log.add("told") }
        person.age = 1
        controller = nil
        person.age = 2
        #expect(screen.log.take() == ["told"])
        #expect(person.observationInfo.isEmpty)
    }

    @Test("B5 The observer dies first: nothing is delivered, and entries are gone after the next change")
    func observerDies() {
        var screen: Screen? = Screen()
        let controller = KVOController(observer: screen!)
        controller.observe(person, \.age) { _, _, _ in Issue.record("nobody to notify") }
        screen = nil
        person.age = 1
        #expect(person.observationInfo.isEmpty)
    }

    @Test("B6 9.4 The observed object dies first: no trap, entries go away, tokens read invalidated")
    func observedDies() {
        var person: Person? = Person()
        let address = Address()
        person?.address = address
        let tokens = [
            person!.observe(\.age) { _, _ in }, person!.observe(\.address?.city) { _, _ in },
            person!.observe(\.summary) { _, _ in },
        ]
        let controller = KVOController(observer: screen, retainsObserved: false)
        controller.observe(person, keyPaths: [\.age, \.address?.city]) { _, _, _ in }
        person = nil
        #expect(tokens.allSatisfy { $0.isInvalidated })
        #expect(controller.description.hasSuffix("observing nothing"))
        address.city = "x"
        for token in tokens { token.invalidate() }
        controller.unobserveAll()
    }

    @Test("B7 A retaining controller holds the object while a key path of it is registered")
    func retaining() {
        var person: Person? = Person()
        weak let weakPerson = person
        let controller = KVOController(observer: screen)
        controller.observe(person, \.age) { _, _, _ in }
        controller.observe(person, \.name) { _, _, _ in }
        person = nil
        #expect(weakPerson != nil)
        controller.unobserve(weakPerson, \.age)
        #expect(weakPerson != nil)
        controller.unobserve(weakPerson, \.name)
        #expect(weakPerson == nil)
    }

    @Test("B8 A non-retaining controller does not hold it")
    func nonRetaining() {
        var person: Person? = Person()
        weak let weakPerson = person
        let controller = KVOController(observer: screen, retainsObserved: false)
        controller.observe(person, \.age) { _, _, _ in }
        person = nil
        #expect(weakPerson == nil)
    }

    @Test("B8 The address of a dead object may be another's: the new one is observed afresh")
    func reusedAddress() {
        let controller = KVOController(observer: screen, retainsObserved: false)
        for age in 1...1_000 {
            let person = Person()
            controller.observe(person, \.age, options: .new) { $0.log.add($2) }
            person.age = age
            #expect(screen.log.take() == ["·→\(age)"])
        }
    }

    @Test("B9 9.5 Observing oneself makes no cycle, in both modes, by one's own controllers and by a stored one")
    func observingOneself() {
        final class Selfish: Person {
            private(set) lazy var kvo = KVOController(observer: self)
            let log: Log
            init(log: Log) { self.log = log }
            deinit { log.add("deinit") }
        }
        let log = Log()
        do {
            let selfish = Selfish(log: log)
            selfish.kvo.observe(selfish, \.age) { selfish, _, _ in selfish.log.add("stored") }
            selfish.kvoController.observe(selfish, \.age) { selfish, _, _ in selfish.log.add("own") }
            selfish.kvoControllerNonRetaining.observe(selfish, \.age) { selfish, _, _ in selfish.log.add("weak") }
            selfish.age = 1
        }
        #expect(log.take() == ["stored", "own", "weak", "deinit"])
    }

    @Test("B10 The first use of a controller in deinit is inert; so is observing there")
    func firstUseInDeinit() {
        final class Late: Person {
            deinit {
                kvoController.observe(Person(), \.age, options: .initial) { _, _, _ in Issue.record("inert") }
                kvoControllerNonRetaining.observe(self, \.age) { _, _, _ in Issue.record("inert") }
                kvoController.unobserveAll()
                _ = observe(\.name) { _, _ in }
                _ = observe(\.address?.city) { _, _ in }
                age = 2
            }
        }
        for _ in 0..<10 { _ = Late() }
    }

    @Test("B13 Eight threads may end a token at once")
    func endedByEightThreads() async {
        for _ in 0..<100 {
            let person = Person()
            let token = person.observe(\.age) { _, _ in Issue.record("notified after the end") }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        token.invalidate()
                        if !token.isInvalidated { Issue.record("not ended") }
                    }
                }
            }
            person.age = 1
        }
    }

    @Test("B14 Random sequences of adding and removing agree with a model", arguments: 0..<20 as Range<UInt64>)
    func randomSequences(seed: UInt64) {
        var generator = SplitMix(state: seed)
        let people = (0..<3).map { _ in Person() }
        let controller = KVOController(observer: screen)
        var model: Set<Pair> = []
        for _ in 0..<500 {
            let pair = Pair(
                person: Int.random(in: 0..<3, using: &generator), isAge: Bool.random(using: &generator))
            let person = people[pair.person]
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                if pair.isAge {
                    controller.observe(person, \.age) { screen, _, _ in screen.log.add("age") }
                } else {
                    controller.observe(person, \.address?.city) { screen, _, _ in screen.log.add("city") }
                }
                model.insert(pair)
            case 5..<8:
                controller.unobserve(person, pair.isAge ? \.age : \.address?.city)
                model.remove(pair)
            case 8:
                controller.unobserve(person)
                model = model.filter { $0.person != pair.person }
            default:
                if Int.random(in: 0..<10, using: &generator) == 0 {
                    controller.unobserveAll()
                    model = []
                }
            }
            person.age += 1
            person.address = Address()
            let expected =
                (model.contains(Pair(person: pair.person, isAge: true)) ? ["age"] : [])
                + (model.contains(Pair(person: pair.person, isAge: false)) ? ["city"] : [])
            #expect(screen.log.take() == expected)
            #expect(people.map { $0.observationInfo.count }.reduce(0, +) == model.count)
        }
    }

    @Test("9.4 Object, observer and controller die in every order", arguments: permutations(of: [0, 1, 2]))
    func deathInEveryOrder(order: [Int]) {
        for retains in [true, false] {
            var person: Person? = Person()
            var screen: Screen? = Screen()
            weak let weakPerson = person
            weak let weakScreen = screen
            var controller: KVOController<Screen>? = KVOController(observer: screen!, retainsObserved: retains)
            weak let weakController = controller
            let address = Address()
            person?.address = address
            controller?.observe(person, keyPaths: [\.age, \.address?.city, \.summary]) { _, _, _ in }
            let token = person!.observe(\.age) { _, _ in }
            for step in order {
                switch step {
                case 0: person = nil
                case 1: screen = nil
                default: controller = nil
                }
                weakPerson?.age += 1
                address.city += "x"
            }
            #expect(weakPerson == nil && weakScreen == nil && weakController == nil)
            #expect(token.isInvalidated)
        }
    }

    @Test("9.4 A handler that keeps its changes in what it captures does not keep itself")
    func keptChanges() {
        final class Changes { var list: [KeyValueObservedChange<Int>] = [] }
        var changes: Changes? = Changes()
        weak let weakChanges = changes
        let token = person.observe(\.age, options: .new) { [changes] _, change in changes?.list.append(change) }
        person.age = 1
        #expect(changes?.list.first?.keyPath == \Person.age)
        changes = nil
        token.invalidate()
        #expect(weakChanges == nil)
    }

    @Test("C12 A controller and its observer, released inside a handler, live until it returns")
    func releasedInsideHandler() {
        var screen: Screen? = Screen()
        var controller: KVOController<Screen>? = KVOController(observer: screen!)
        weak let weakScreen = screen
        weak let weakController = controller
        var told = 0
        controller?.observe(person, \.age) { _, _, _ in
            screen = nil
            controller = nil
            #expect(weakScreen != nil && weakController != nil)
            told += 1
        }
        controller?.observe(person, \.name) { _, _, _ in told += 1 }
        person.age = 1
        person.name = "x"
        #expect(told == 1 && weakScreen == nil && weakController == nil)
        _ = (screen, controller)
    }
}

private struct Pair: Hashable {
    let person: Int
    let isAge: Bool
}

func permutations(of elements: [Int]) -> [[Int]] {
    guard elements.count > 1 else { return [elements] }
    return elements.flatMap { first in
        permutations(of: elements.filter { $0 != first }).map { [first] + $0 }
    }
}

/// Runs code when it dies.
private final class AtDeath {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    deinit { body() }
}
