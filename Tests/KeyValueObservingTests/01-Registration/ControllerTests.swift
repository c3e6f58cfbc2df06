// The controller in all its flavours: rows A1 to A18 and C of the features.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("KVOController")
struct ControllerTests {
    private let person = Person()
    private let screen = Screen()

    @Test("A1 The observer is held weakly; when it is gone nothing is registered or delivered")
    func weakObserver() {
        var screen: Screen? = Screen()
        weak let weakScreen = screen
        let controller = KVOController(observer: screen!)
        controller.observe(person, \.age) { _, _, _ in }
        #expect(controller.observer === screen)
        screen = nil
        #expect(weakScreen == nil && controller.observer == nil)
        controller.observe(person, \.age, options: .initial) { _, _, _ in Issue.record("there is nobody to notify") }
        person.age = 1
    }

    @Test("A2 A handler gets observer, object and change")
    func handler() {
        let controller = KVOController(observer: screen)
        controller.observe(person, \.age, options: [.old, .new]) { screen, person, change in
            screen.log.add(change, as: person === self.person ? "person" : "?")
        }
        person.age = 1
        #expect(screen.log.take() == ["person 0→1"])
    }

    @Test("A3 Methods of the observer with (), (change) or (change, object), and the observer is not retained")
    func actions() {
        var screen: Screen? = Screen()
        weak let weakScreen = screen
        let controller = KVOController(observer: screen!, duplicates: .allow)
        controller.observe(person, \.age, action: Screen.redraw)
        controller.observe(person, \.age, options: [.old, .new], action: Screen.ageDidChange)
        controller.observe(person, \.age, options: .new, action: Screen.ageChanged(_:of:))
        person.age = 5
        #expect(screen?.log.take() == ["redraw", "0→5", "·→5 of 5"])
        screen = nil
        #expect(weakScreen == nil)
    }

    @Test("A4 The default callback gets key path, object, change and the caller's context (#18)")
    func defaultCallback() {
        let controller = KVOController(observer: screen)
        controller.observe(person, \.age, options: [.old, .new], context: "age")
        controller.observe(person, \.address, options: [.old, .new], context: 7)
        controller.observe(person, \.name, context: nil)
        person.age = 2
        person.address = nil
        person.name = "x"
        #expect(
            screen.log.take() == [
                "age 0→2 Optional(AnyHashable(\"age\"))", "address nil→nil Optional(AnyHashable(7))",
                "name ·→· nil",
            ])
    }

    @Test(
        "A5 A6 Several key paths in one call: one registration each, distinguished by change.keyPath (#26)")
    func severalKeyPaths() {
        let controller = KVOController(observer: screen)
        controller.observe(person, keyPaths: [\.age, \.name, \.address?.city, \.isAdult], options: [.new, .initial]) {
            screen, _, change in
            let names: [AnyKeyPath: String] = [
                \Person.age: "age", \Person.name: "name", \Person.address?.city: "city", \Person.isAdult: "adult",
            ]
            screen.log.add("\(names[change.keyPath] ?? "?") \(change.newValue!)")
        }
        #expect(screen.log.take() == ["age 0", "name ", "city nil", "adult false"])
        person.age = 20
        person.address = Address(city: "Oslo")
        #expect(screen.log.take() == ["age 20", "adult true", "city Oslo"])
        #expect(person.observationInfo.map(\.keyPath).prefix(3) == ["age", "name", "address.city"])
    }

    @Test("A5 A bad key path among several leaves nothing half done")
    func severalKeyPathsChecked() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            let screen = Screen()
            KVOController(observer: screen).observe(PartlyPlain(), keyPaths: [\.observed, \.plain], options: .initial) {
                _, _, _ in
                print("half done")
            }
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(!output.contains("half done"))
        #expect(words("PartlyPlain", "plain", "observed", missingIn: message(of: result)) == [])
    }

    @Test("A7 Options pass through the controller", arguments: (UInt(0)..<16).map(KeyValueObservingOptions.init))
    func options(options: KeyValueObservingOptions) {
        let log = Log()
        let controller = KVOController(observer: screen)
        let token = person.observe(\.age, options: options) { log.add($1) }
        controller.observe(person, \.age, options: options) { $0.log.add($2) }
        person.age = 1
        person.age = 1
        #expect(screen.log.take() == log.take())
        withExtendedLifetime(token) {}
    }

    @Test("A12 Every object has two controllers of its own, made on first use, distinct")
    func ownControllers() {
        #expect(person.kvoController === person.kvoController)
        #expect(person.kvoControllerNonRetaining === person.kvoControllerNonRetaining)
        #expect(person.kvoController !== person.kvoControllerNonRetaining)
        #expect(person.kvoController.observer === person)
        #expect(person.kvoController !== Person().kvoController)
    }

    @Test("A12 One set of registrations, whichever class the object is seen as")
    func ownControllerOfSubclass() {
        let (student, log) = (Student(), Log())
        student.kvoController.observe(person, \.age, fileID: "A/B.swift", line: 1) { _, _, _ in log.add("derived") }
        let base = (student as Person).kvoController
        base.observe(person, \.age, fileID: "A/B.swift", line: 1) { _, _, _ in log.add("the same again") }
        person.age = 1
        #expect(log.take() == ["derived"])
        (student as Person).kvoController.unobserve(person, \.age)
        person.age = 2
        #expect(log.take() == [])
    }

    @Test("A12 Safe to reach from two threads at once")
    func ownControllerFromThreads() async {
        for _ in 0..<200 {
            let shared = Unchecked(value: Person())
            let controllers = await withTaskGroup(of: ObjectIdentifier.self, returning: Set<ObjectIdentifier>.self) {
                group in
                for _ in 0..<4 { group.addTask { ObjectIdentifier(shared.value.kvoController) } }
                return await group.reduce(into: []) { $0.insert($1) }
            }
            #expect(controllers.count == 1)
        }
    }

    @Test("A13 Nothing is added to types that do not conform")
    func optIn() {
        // Any object may be an observer; only conforming ones can be observed, which the compiler checks.
        let plain = Plain()
        KVOController(observer: plain).observe(person, \.age) { _, _, _ in }
        #expect(!((plain as AnyObject) is any KeyValueObservable))
    }

    @Test("A14 A nil object is a no-op; removing what is not there too")
    func badInput() {
        let controller = KVOController(observer: screen)
        let nobody: Person? = nil
        controller.observe(nobody, \.age) { _, _, _ in }
        controller.observe(nobody, \.age, action: Screen.redraw)
        controller.observe(nobody, keyPaths: [\.age, \.name]) { _, _, _ in }
        controller.observe(nobody, \.age, context: 1)
        controller.unobserve(nobody, \.age)
        controller.unobserve(nobody)
        controller.unobserve(person, \.age)
        controller.unobserve(person)
        controller.unobserveAll()
        #expect(person.observationInfo.isEmpty)
    }

    @Test(
        "A16 The same pair again: .ignore keeps the first, .replace the last, .allow both")
    func duplicates() {
        func told(_ policy: KVOController<Screen>.DuplicatePolicy, remove: Bool = false) -> [String] {
            let (person, log) = (Student(), Log())
            let controller = KVOController(observer: screen, duplicates: policy)
            controller.observe(person, \Student.age, options: .initial) { _, _, _ in log.add("first") }
            let other = person.observe(\.age) { _, _ in log.add("other") }
            controller.observe(person as Person, \Person.age, options: .initial) { _, _, _ in log.add("second") }
            log.add("|")
            person.age = 1
            if remove { controller.unobserve(person, \.age) }
            log.add("|")
            person.age = 2
            withExtendedLifetime(other) {}
            return log.take()
        }
        #expect(told(.ignore) == ["first", "|", "first", "other", "|", "first", "other"])
        #expect(told(.replace) == ["first", "second", "|", "other", "second", "|", "other", "second"])
        #expect(
            told(.allow) == ["first", "second", "|", "first", "other", "second", "|", "first", "other", "second"])
        for policy in [KVOController<Screen>.DuplicatePolicy.ignore, .replace, .allow] {
            #expect(told(policy, remove: true).last == "other")
        }
    }

    @Test("2.5 Through a controller, too, a change to an equal value is left out on request", arguments: [true, false])
    func distinctValues(skips: Bool) {
        let controller = KVOController(observer: screen)
        controller.observe(person, \.age, options: skips ? [.old, .new, .distinct] : [.old, .new]) { $0.log.add($2) }
        person.age = 0
        person.age = 1
        person.age = 1
        #expect(screen.log.take() == (skips ? ["0→1"] : ["0→0", "0→1", "1→1"]))
    }

    @Test("A16 A settable computed property is not the property behind it")
    func computedIsNoDuplicate() {
        let student = Student()
        let controller = KVOController(observer: screen)
        controller.observe(student, \.age, options: .new) { $0.log.add($2, as: "age") }
        controller.observe(student, \.months, options: .new) { $0.log.add($2, as: "months") }
        student.age = 1
        #expect(screen.log.take() == ["age ·→1", "months ·→12"])
    }

    @Test("A17 Registrations of the token kind stand beside those of a controller")
    func tokensBeside() {
        let controller = KVOController(observer: screen)
        controller.observe(person, \.age) { screen, _, _ in screen.log.add("controller") }
        let token = person.observe(\.age) { _, _ in screen.log.add("token") }
        person.age = 1
        controller.unobserveAll()
        person.age = 2
        #expect(screen.log.take() == ["controller", "token", "token"])
        withExtendedLifetime(token) {}
    }
}

private final class Plain {}

private final class PartlyPlain: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var observed = 0
    var plain = 0
}
