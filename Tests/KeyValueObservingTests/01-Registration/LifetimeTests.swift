// Objects and observers that die first, beside the cells: rows B8 to B14 of the features, and 9.4 and 9.5 of the
// contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Removal and lifetime")
struct LifetimeTests {
    private let person = Person()
    private let screen = Screen()

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

    // #30
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

    @Test("B10 The first use of a controller in deinit is inert, as is observing in it")
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

    // #25 #27
    @Test("B14 Random sequences of adding and removing agree with a model", arguments: 0..<20 as Range<UInt64>)
    func randomSequences(seed: UInt64) {
        var generator = SplitMix(state: seed)
        let people = (0..<3).map { _ in Person() }
        let controller = KVOController(observer: screen)
        var model: [Set<String>] = [[], [], []]
        for _ in 0..<500 {
            let (index, isAge) = (Int.random(in: 0..<3, using: &generator), Bool.random(using: &generator))
            let person = people[index]
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<50 where isAge:
                controller.observe(person, \.age) { screen, _, _ in screen.log.add("age") }
                model[index].insert("age")
            case 0..<50:
                controller.observe(person, \.address?.city) { screen, _, _ in screen.log.add("city") }
                model[index].insert("city")
            case 50..<80:
                controller.unobserve(person, isAge ? \.age : \.address?.city)
                model[index].remove(isAge ? "age" : "city")
            case 80..<99:
                controller.unobserve(person)
                model[index] = []
            default:
                controller.unobserveAll()
                model = [[], [], []]
            }
            person.age += 1
            person.address = Address()
            #expect(screen.log.take() == model[index].sorted())
            #expect(people.map(\.observationInfo.count) == model.map(\.count))
        }
    }

    // #320
    @Test("C12 A controller and its observer, released inside a handler, live until it returns")
    func releasedInsideHandler() {
        var screen: Screen? = Screen()
        var controller: KVOController<Screen>? = screen.map { KVOController(observer: $0) }
        weak let weakScreen = screen
        weak let weakController = controller
        var told = 0
        controller?.observe(person, \.age) { _, _, _ in
            (screen, controller) = (nil, nil)
            #expect(weakScreen != nil && weakController != nil)
            told += 1
        }
        controller?.observe(person, \.name) { _, _, _ in told += 1 }
        person.age = 1
        person.name = "x"
        #expect(told == 1 && weakScreen == nil && weakController == nil)
        _ = (screen, controller)
    }

    @Test(
        "9.4 If an object's deinit sets the end of a path that starts at it, no observer is called, and the set returns"
    )
    func pathOfTheDying() {
        final class Root: Person {
            let base: Person
            init(_ base: Person) {
                self.base = base
                super.init()
                friend = base
            }
            deinit { base.age = 7 }
        }
        let watcher = Watcher()
        var root: Root? = Root(person)
        watcher.watch(root!, \.friend?.age, as: "path", .new)
        watcher.watch(person, \.age, .new)
        root = nil
        #expect(watcher.log.take() == ["·→7"])
    }
}
