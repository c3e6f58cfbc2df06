// Every declaration of the public contract as a user writes it: the controller.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

extension PublicContractTests {
    final class Screen: KeyValueObserver {
        let log = Log()

        func redraw() { log.add("redraw") }
        func ageDidChange(_ change: KeyValueObservedChange<Int>) { log.add(change) }
        func ageMoved(_ change: KeyValueObservedChange<Int>, of person: Person) { log.add("\(person.age)") }
        func f(_ change: KeyValueObservedChange<Int>) { log.add("f") }
        func f(_ change: KeyValueObservedChange<Int>, of person: Person) { log.add("f of") }

        func observeValue(
            forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
            context: AnyHashable?
        ) {
            let context = context.map { "\($0)" } ?? "-"
            log.add("\(keyPath == \Person.age) \(object is Person) \(change.newValue ?? "·") \(context)")
        }
    }
}

@Suite("The public contract: controllers")
struct PublicContractControllerTests {
    typealias Screen = PublicContractTests.Screen
    typealias Person = PublicContractTests.Person
    typealias Student = PublicContractTests.Student

    let person = Person()
    let screen = Screen()

    @Test("KVOController: one is made with its observer alone, or with everything")
    func initializers() {
        PublicContractTests.requireSendable(KVOController<Screen>.DuplicatePolicy.self)
        let controllers = [
            KVOController(observer: screen),
            KVOController(observer: screen, retainsObserved: false),
            KVOController(observer: screen, duplicates: .replace),
            KVOController(observer: screen, retainsObserved: true, duplicates: .allow),
            KVOController(observer: screen, retainsObserved: true, duplicates: .ignore),
        ]
        #expect(controllers.map { $0.observer === screen } == [true, true, true, true, true])
    }

    @Test("KVOController: .replace puts the new registration last")
    func replaceIsLast() {
        let controller = KVOController(observer: screen, duplicates: .replace)
        controller.observe(person, \.age) { _, _, _ in }
        let token = person.observe(\.age) { [screen] _, _ in screen.log.add("token") }
        controller.observe(person, \.age) { screen, _, _ in screen.log.add("replaced") }
        person.age = 1
        #expect(screen.log.take() == ["token", "replaced"])
        withExtendedLifetime(token) {}
    }

    @Test("KVOController: handlers and actions of every shape, with and without the middle arguments")
    func shapes() {
        let controller = KVOController(observer: screen, duplicates: .allow)
        controller.observe(person, \.age) { (screen: Screen, _: Person, _: KeyValueObservedChange<Int>) in
            screen.log.add("handler")
        }
        controller.observe(person, \.age, options: .new, fileID: "A/B.swift", line: 1, changeHandler: { _, _, _ in })
        controller.observe(person, \.age, action: Screen.redraw)
        controller.observe(person, \.age, options: .new, fileID: "A/B.swift", line: 2, action: Screen.redraw)
        controller.observe(person, \.age, action: Screen.ageDidChange)
        controller.observe(
            person, \.age, options: .new, fileID: "A/B.swift", line: 3, action: Screen.ageDidChange)
        controller.observe(person, \.age, action: Screen.ageMoved)
        controller.observe(person, \.age, options: .new, fileID: "A/B.swift", line: 4, action: Screen.f(_:of:))
        controller.observe(person, \.age, context: nil)
        controller.observe(person, \.age, options: .new, fileID: "A/B.swift", line: 5, context: "c")
        person.age = 5
        #expect(
            screen.log.take() == [
                "handler", "redraw", "redraw", "0→5", "·→5", "5", "f of", "true true 5 -", "true true 5 c",
            ])
        #expect(person.observationInfo.filter { $0.fileID == "A/B.swift" }.map(\.line) == [1, 2, 3, 4, 5])
    }

    // #17
    @Test("KVOController: a nil object is no object, in every call")
    func nilObject() throws {
        let none: Person? = nil
        let named: Customer? = nil
        let controller = KVOController(observer: screen)
        controller.observe(none, \.age) { _, _, _ in }
        controller.observe(none, keyPaths: [\.age, \.tags]) { _, _, _ in }
        controller.observe(none, \.age, action: Screen.redraw)
        controller.observe(none, \.age, action: Screen.ageDidChange)
        controller.observe(none, \.age, action: Screen.ageMoved)
        controller.observe(none, \.age, context: nil)
        try controller.observe(named, keyPath: "age") { _, _, _ in }
        try controller.observe(named, keyPaths: ["age", "nonsense"]) { _, _, _ in }
        controller.unobserve(none, \.age)
        controller.unobserve(none)
        controller.unobserve(named, keyPath: "age")
        controller.unobserve(named, keyPaths: ["age"])
        controller.unobserveAll()
        #expect("\(controller)".contains("nothing"))
    }

    @Test("KVOController: by string, one and several, with and without the middle arguments")
    func strings() throws {
        let customer = Customer()
        let controller = KVOController(observer: screen)
        try controller.observe(customer, keyPath: "age") {
            (_: Screen, _: Customer, _: KeyValueObservedChange<Any>) in
        }
        try controller.observe(
            customer, keyPath: "name", options: .new, fileID: "A/B.swift", line: 1
        ) { screen, _, change in screen.log.add(change) }
        try controller.observe(
            customer, keyPaths: ["points", "home.city"], options: .new, fileID: "A/B.swift", line: 2
        ) { screen, _, change in screen.log.add(change) }
        customer.name = "x"
        customer.points = 3
        #expect(screen.log.take() == ["·→x", "·→3"])
        #expect(customer.observationInfo.map(\.keyPath) == ["age", "name", "points", "home.city"])
        #expect(throws: KeyValueCodingError.self) {
            try controller.observe(customer, keyPaths: ["frame", "nonsense"]) { _, _, _ in }
        }
        controller.unobserve(customer, keyPath: "age")
        controller.unobserve(customer, keyPaths: ["points", "home.city", "nonsense"])
        #expect(customer.observationInfo.map(\.keyPath) == ["name"])
    }

    @Test("KVOController: unobserve is idempotent and unknown input a no-op")
    func unobserve() {
        let controller = KVOController(observer: screen)
        controller.observe(person, keyPaths: [\.age, \.tags, \.isAdult]) { _, _, _ in }
        let partial: PartialKeyPath<Person> = \.age
        controller.unobserve(person, partial)
        controller.unobserve(person, partial)
        controller.unobserve(person, \.number)
        controller.unobserve(Person())
        #expect(person.observationInfo.count == 2)
        controller.unobserve(person)
        controller.unobserve(person)
        #expect(person.observationInfo.isEmpty)
        controller.observe(person, \.age) { _, _, _ in }
        controller.unobserveAll()
        controller.unobserveAll()
        #expect(person.observationInfo.isEmpty)
    }
}
