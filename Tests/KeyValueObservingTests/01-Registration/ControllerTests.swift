// The controller's flavours, beside the cells: rows A1 to A17 of the features.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("KVOController")
struct ControllerTests {
    private let person = Person()
    private let screen = Screen()
    private let log = Log()
    private let kept = Kept()

    @Test("A2 A3 Handlers and methods get observer, object and change, and the observer is not retained")
    func actions() {
        var screen: Screen? = Screen()
        weak let weakScreen = screen
        let controller = screen.map { KVOController(observer: $0, duplicates: .allow) }
        controller?.observe(person, \.age, options: [.old, .new]) { [person] screen, object, change in
            screen.log.add(change, as: object === person ? "person" : "?")
        }
        controller?.perform(Screen.redraw, onChangeOf: person, \.age)
        controller?.perform(Screen.ageDidChange, onChangeOf: person, \.age, options: [.old, .new])
        controller?.perform(Screen.ageChanged(_:of:), onChangeOf: person, \.age, options: .new)
        person.age = 5
        #expect(screen?.log.take() == ["person 0→5", "redraw", "0→5", "·→5 of 5"])
        screen = nil
        #expect(weakScreen == nil)
    }

    @Test("A12 Every object has two controllers of its own, each one and the same, whichever class it is seen as")
    func ownControllers() {
        #expect(person.kvoController === person.kvoController)
        #expect(person.kvoControllerNonRetaining === person.kvoControllerNonRetaining)
        #expect(person.kvoController !== person.kvoControllerNonRetaining)
        #expect(person.kvoController.observer === person && person.kvoController !== Person().kvoController)
        let student = Student()
        student.kvoController.observe(person, \.age, fileID: "A/B.swift", line: 1) { [log] _, _, _ in log.add("told") }
        let base = (student as Person).kvoController
        base.observe(person, \.age, fileID: "A/B.swift", line: 1) { [log] _, _, _ in log.add("the same again") }
        person.age = 1
        #expect(log.take() == ["the same again"])
        base.unobserve(person, \.age)
        person.age = 2
        #expect(log.take() == [])
        // Two threads may reach it at once.
        for _ in 0..<200 {
            let (shared, controllers) = (Unchecked(value: Person()), Guarded<Set<ObjectIdentifier>>([]))
            onThreads(2) { _ in
                let controller = ObjectIdentifier(shared.value.kvoController)
                controllers.withLock { _ = $0.insert(controller) }
            }
            #expect(controllers.withLock { $0.count } == 1)
        }
    }

    // MARK: The same again

    // #12
    @Test(
        "A16 What is registered again at one key path, from the same line, from another one, and of another file",
        arguments: [
            (.replaceRepeated, ["a:1", "a:1 again", "a:2", "b:1"], ["a:1 again", "other", "a:2", "b:1"]),
            (.ignore, ["a:1"], ["a:1", "other"]), (.replace, ["a:1", "a:1 again", "a:2", "b:1"], ["other", "b:1"]),
            (.allow, ["a:1", "a:1 again", "a:2", "b:1"], ["a:1", "a:1 again", "other", "a:2", "b:1"]),
        ] as [(KVOController<Log>.DuplicatePolicy, [String], [String])])
    func duplicates(policy: KVOController<Log>.DuplicatePolicy, initial: [String], later: [String]) {
        let controller = KVOController(observer: log, duplicates: policy)
        func observe(_ fileID: StaticString, _ line: UInt, _ name: String) {
            controller.observe(person, \.age, options: .initial, fileID: fileID, line: line) { log, _, _ in
                log.add(name)
            }
        }
        observe("A/a.swift", 1, "a:1")
        observe("A/a.swift", 1, "a:1 again")
        person.observe(\.age) { [log] _, _ in log.add("other") }.store(in: kept)
        observe("A/a.swift", 2, "a:2")
        observe("B/b.swift", 1, "b:1")
        #expect(log.take() == initial)
        person.age = 1
        #expect(log.take() == later)
        controller.unobserve(person, \.age)
        person.age = 2
        #expect(log.take() == ["other"])
        // What has ended is no repetition.
        observe("A/a.swift", 1, "a:1")
        #expect(log.take() == ["a:1"])
    }

    @Test(
        "16.2 A16 An expression is known by its line alone",
        arguments: [
            (.replaceRepeated, ["1 again"]), (.ignore, ["1"]), (.replace, ["1 again"]), (.allow, ["1", "1 again"]),
        ]
            as [(KVOController<Log>.DuplicatePolicy, [String])])
    func expressions(policy: KVOController<Log>.DuplicatePolicy, lines: [String]) {
        let controller = KVOController(observer: log, duplicates: policy)
        for name in ["1", "1 again"] {
            controller.observe(person, reading: { $0.age }, line: 1) { log, _, _ in log.add(name) }
        }
        controller.observe(person, reading: { $0.age }, line: 2) { log, _, _ in log.add("2") }
        controller.unobserve(person, \.age)
        person.age = 1
        #expect(log.take() == lines + ["2"])
        controller.unobserve(person)
        #expect(person.observationInfo.isEmpty)
    }

    @Test("A16 A settable computed property is not the property behind it, nor elements their collection")
    func noDuplicates() {
        let controller = KVOController(observer: log, duplicates: .ignore)
        controller.observe(person, \.age, options: .new) { log, _, change in log.add(change, as: "age") }
        controller.observe(person, \.months, options: .new) { log, _, change in log.add(change, as: "months") }
        person.age = 1
        #expect(log.take() == ["age ·→1", "months ·→12"])
        let cask = Cask()
        for _ in 0..<2 { controller.observe(cask, eachOf: \.parts, \.level) { log, _, part, _ in log.add(part.name) } }
        controller.observe(cask, \.parts) { log, _, _ in log.add("parts") }
        cask.parts[0].level = 1
        cask.parts = []
        #expect(log.take() == ["a", "parts"])
    }

    @Test(
        "1.7 10.1 A list joins what is registered, and each of its key paths may end alone",
        .enabled(if: hasReflectionMetadata))
    func lists() {
        let controller = KVOController(observer: log)
        controller.observe(person, \.age) { log, _, _ in log.add("age") }
        controller.observe(person, keyPaths: [\.age, \.name]) { log, _, change in log.add("list \(change.name)") }
        person.age = 1
        person.name = "x"
        #expect(log.take() == ["age", "list age", "list name"])
        controller.unobserve(person, \.age)
        person.age = 2
        person.name = "y"
        #expect(log.take() == ["list name"])
    }

    // MARK: Other forms

    @Test("16.4 1.7 The collection may be nil, and an arrival may end it")
    func elements() {
        let (rack, part) = (Rack(), Part("a"))
        let controller = KVOController(observer: log)
        controller.observe(rack, eachOf: \.parts, \.level, options: .new) { log, _, part, change in
            log.add(change, as: part.name)
        } arrival: { log, rack, part in
            log.add("+\(part.name)")
            if part.level > 0 { controller.unobserve(rack, \.parts) }
        }
        rack.parts = [part]
        part.level = 1
        rack.parts = nil
        part.level = 2
        #expect(log.take() == ["+a", "a ·→1"])
        rack.parts = [part]
        part.level = 3
        #expect(log.take() == ["+a"] && rack.observationInfo.isEmpty && part.observationInfo.isEmpty)
    }
}

private final class Rack: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var parts: [Part]?
}
