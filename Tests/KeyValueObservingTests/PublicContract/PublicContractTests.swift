// Declarations of the public contract as a user writes them: what has to compile, where no other test writes it so.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("The public contract")
struct PublicContractTests {
    private let model = Model()
    private let screen = Screen()

    /// Only what is `Sendable` can be given here.
    private func requireSendable<Value: Sendable & ~Copyable>(_: Value.Type) {}

    // #131
    @Test("Declaring: the protocol's defaults, for every key path, and those of the hooks of key-value coding")
    func defaults() throws {
        func ask<Object: KeyValueObservable>(_: Object.Type, _ keyPath: AnyKeyPath) -> (Bool, Set<AnyKeyPath>) {
            (Object.automaticallyNotifiesObservers(for: keyPath), Object.keyPathsAffectingValue(for: keyPath))
        }
        #expect(ask(Model.self, \Model.age) == (true, []))
        #expect(ask(Submodel.self, \Submodel.isAdult) == (true, []))
        #expect(Model.accessesStorageDirectly)
        let undefined = KeyValueCodingError(code: .undefinedKey, key: "x", objectType: Model.self)
        #expect(throws: undefined) { try model.value(forUndefinedKey: "x") }
        #expect(throws: undefined) { try model.setValue(1, forUndefinedKey: "x") }
        // #290
        #expect(throws: KeyValueCodingError(code: .nilForNonOptional, key: "age", objectType: Model.self)) {
            try model.setNilValue(forKey: "age")
        }
        var value: Any? = 3
        try model.validateValue(&value, forKey: "age")
        #expect(value as? Int == 3)
        requireSendable(KeyValueCodingError.Code.self)
    }

    @Test("Declaring: the wrapper's accessors get, set and modify, and notify")
    func accessors() {
        let token = model.observe(\.age) { [screen] in screen.log.add($1) }
        let view: ObservedMutableProperty<Int> = model.mutable(\.age)
        #expect(model.callAccessors() == 5)
        view.value += 1
        #expect(screen.log.take() == ["0→4", "4→5", "5→6"])
        withExtendedLifetime(token) {}
    }

    // #373
    @Test("Observing: a change is made with its kind and key path alone, or with everything")
    func changeInitializer() {
        let little = KeyValueObservedChange<String?>(kind: .setting, keyPath: \Model.name)
        #expect(little.newValue == nil && little.oldValue == nil && little.indexes == nil && !little.isPrior)
        let much = KeyValueObservedChange(
            kind: .replacement, oldValue: ["a"], newValue: ["b"], indexes: RangeSet(0..<1), isPrior: true,
            keyPath: \Model.tags)
        #expect(toManyText(of: much) == #"prior replacement [0] ["a"]→["b"]"# && much.keyPath == \Model.tags)
        let nothing = KeyValueObservedChange<String?>(kind: .setting, newValue: .some(nil), keyPath: \Model.name)
        #expect(nothing.newValue == .some(nil))
    }

    // #36
    @Test("Observing: observe with all its labels; a token is Sendable and Hashable, and may be stored in a set")
    func observe() {
        let whole:
            (
                KeyPath<Model, Int>, KeyValueObservingOptions, StaticString, UInt,
                @escaping (Model, KeyValueObservedChange<Int>) -> Void
            ) -> KeyValueObservation = model.observe(_:options:fileID:line:changeHandler:)
        let first: KeyValueObservation = model.observe(\.age) { (_: Model, _: KeyValueObservedChange<Int>) in }
        let second = whole(\.age, [.new], "Contract/File.swift", 12) { _, _ in }
        #expect(model.observationInfo.map(\.line) == [#line - 2, 12])
        #expect(model.observationInfo.map(\.fileID) == [#fileID, "Contract/File.swift"])
        requireSendable(KeyValueObservation.self)
        var set: Set<KeyValueObservation> = []
        second.store(in: &set)
        #expect(set == [second] && first != second)
    }

    @Test("KVOController: handlers and actions of every shape, with and without the middle arguments")
    func shapes() {
        requireSendable(KVOController<Screen>.DuplicatePolicy.self)
        _ = KVOController(observer: screen, retainsObserved: true, duplicates: .ignore)
        let (controller, person) = (KVOController(observer: screen, duplicates: .allow), Person())
        controller.observe(person, \.age) { (screen: Screen, _: Person, _: KeyValueObservedChange<Int>) in
            screen.log.add("handler")
        }
        controller.observe(person, \.age, options: .new, fileID: "A/B.swift", line: 1, changeHandler: { _, _, _ in })
        controller.perform(Screen.redraw, onChangeOf: person, \.age)
        controller.perform(Screen.redraw, onChangeOf: person, \.age, options: .new, fileID: "A/B.swift", line: 2)
        controller.perform(Screen.ageDidChange, onChangeOf: person, \.age)
        controller.perform(Screen.ageDidChange, onChangeOf: person, \.age, options: .new, fileID: "A/B.swift", line: 3)
        controller.perform(Screen.ageChanged, onChangeOf: person, \.age)
        controller.perform(
            Screen.ageChanged(_:of:), onChangeOf: person, \.age, options: .new, fileID: "A/B.swift", line: 4)
        controller.observe(person, \.age, context: nil)
        controller.observe(person, \.age, options: .new, fileID: "A/B.swift", line: 5, context: 7)
        person.age = 5
        #expect(
            screen.log.take() == [
                "handler", "redraw", "redraw", "0→5", "·→5", "0→5 of 5", "·→5 of 5", "age 0→5 nil",
                "age ·→5 Optional(AnyHashable(7))",
            ])
        #expect(person.observationInfo.filter { $0.fileID == "A/B.swift" }.map(\.line) == [1, 2, 3, 4, 5])
        controller.unobserve(person, \.age as PartialKeyPath<Person>)
        #expect(person.observationInfo.isEmpty)
    }

    // #17
    @Test("KVOController: a nil object is no object, in every call")
    func nilObject() throws {
        let (none, named, controller) = (Person?.none, Model?.none, KVOController(observer: screen))
        controller.observe(none, keyPaths: [\.age, \.tags]) { _, _, _ in }
        controller.perform(Screen.redraw, onChangeOf: none, \.age)
        controller.perform(Screen.ageDidChange, onChangeOf: none, \.age)
        controller.perform(Screen.ageChanged(_:of:), onChangeOf: none, \.age)
        controller.observe(none, \.age, context: nil)
        try controller.observe(named, keyPath: "age") { _, _, _ in }
        try controller.observe(named, keyPaths: ["age", "nonsense"]) { _, _, _ in }
        controller.unobserve(none)
        controller.unobserve(named, keyPath: "age")
        #expect("\(controller)".contains("nothing"))
    }
}

@Suite("The public contract: sequences")
struct PublicContractSequenceTests {
    /// What is both kinds of executor is used as one of changes.
    private final class BothKinds: TaskExecutor, KeyValueChangeExecutor {
        let pump = Pump()

        func execute(_ job: @escaping @Sendable () -> Void) { pump.execute(job) }
        func enqueue(_ job: consuming ExecutorJob) { fatalError("the other kind was asked") }
    }

    @Test("Sequences: what is said of one, in any order, and what it is passed as", .enabled(if: hasReflectionMetadata))
    func modifiers() async throws {
        let tank = Tank()
        let said = tank.values(of: \.level, fileID: "A/B.swift", line: 3).labeled("level")
            .buffer(policy: .finishing(after: 9)).removeDuplicates()
        let passed: some AsyncSequence<Int, Never> & Sendable = said
        var iterator = passed.makeAsyncIterator()
        #expect(
            tank.observationInfo.map(\.description) == [
                "level “level” [new, initial, distinct] observed by sequence at A/B.swift:3, delivered 0"
            ])
        #expect(await iterator.next(isolation: nil) == 0)
        let stream: AsyncStream<KeyValueObservedChange<any Sendable>> =
            tank.changes(of: \.level, \.tags, \.members, options: .new, fileID: "A/B.swift", line: 4).stream()
        (tank.level, tank.tags) = (1, ["a"])
        var changes = stream.makeAsyncIterator()
        #expect(await [changes.next()?.name, changes.next()?.name] == ["level", "tags"])
        var pairs = tank.values(reading: { ($0.level, $0.tags) }).makeAsyncIterator()
        #expect(try #require(await pairs.next()) == (1, ["a"]))
    }

    @Test("Sequences: every taker with both kinds of handlers")
    func takers() {
        let (tank, both, loop, log) = (Tank(), BothKinds(), EventLoop(), Log())
        var tokens: [KeyValueObservation] = []
        tank.changes(reading: { $0.level }).deliver(on: both) { log.add("\($0.requiredNewValue)") }.store(in: &tokens)
        tank.values(reading: \.level).deliver(on: loop) {
            await Task.yield()
            _ = $0
        }.store(in: &tokens)
        tank.values(of: \.level).deliver(to: Recorder()) { (_: isolated Recorder, _: Int) in }.store(in: &tokens)
        tank.values(of: \.level).deliverOnMainActor { @MainActor _ in }.store(in: &tokens)
        tank.level = 2
        both.pump.run()
        #expect(log.take() == ["2"] && tokens.count == 4 && !tokens[0].hasOverflowed)
    }
}

@Suite("The public contract: the main actor")
@MainActor
struct PublicContractActorTests {
    // #377
    @Test(
        "9.6 A class that overrides a static function conforms as @MainActor KeyValueObservable",
        .enabled(if: hasReflectionMetadata))
    func mainActor() {
        let (model, log) = (MainModel(), Log())
        let token = model.observe(\.items) { model, _ in log.add("\(model.items)") }
        model.kvoController.observe(model, keyPaths: [\.count, \.items]) { _, _, change in log.add(change.name) }
        model.count = 1
        model.changeValue(for: \.count) { model.count = 2 }
        model.mutable(\.items).append(1)
        #expect(log.take() == ["count", "[1]", "items"])
        withExtendedLifetime(token) {}
    }
}

private class Model: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    @Observed var name: String?
    @Observed var tags: [String] = []
    var isAdult: Bool { age >= 18 }

    /// The accessors that the wrapper has for the class, called by hand.
    func callAccessors() -> Int {
        Observed<Int>[_enclosingInstance: self, wrapped: \Model.age, storage: \Model._age] = 4
        Observed<Int>[_enclosingInstance: self, wrapped: \Model.age, storage: \Model._age] += 1
        return Observed<Int>[_enclosingInstance: self, wrapped: \Model.age, storage: \Model._age]
    }

    class var keyPathsByKey: [String: AnyKeyPath] { ["age": \Model.age] }
}

private final class Submodel: Model {}

@MainActor
private final class MainModel: @MainActor KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    @Observed var items: [Int] = []

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \MainModel.count }
}
