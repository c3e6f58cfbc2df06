// Listings of registrations: rows D1 and D16 of the features as far as they are built, and names of key paths.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("A6 Listing what is observed")
struct ListingTests {
    private let person = Person()
    private let kept = Kept()

    @Test(
        "A6 The listing is in registration order and says who, what, where and how often",
        .enabled(if: hasReflectionMetadata))
    func listing() throws {
        person.address = Address()
        let line = UInt(#line) + 1
        person.observe(\.age, options: [.old, .new, .prior]) { _, _ in }.store(in: kept)
        let screen = Screen()
        let controller = KVOController(observer: screen)
        controller.observe(person, \.address?.city, options: [.initial]) { _, _, _ in }
        person.observe(\.age, options: []) { _, _ in }.store(in: kept)
        person.age = 1
        let list = person.observationInfo
        let path =
            RuntimeAssumption.keyPathComponents.holds
            ? "address.city" : "property Optional<String> at ListingTests.swift:\(list[1].line)"
        #expect(list.map(\.keyPath) == ["age", path, "age"])
        #expect(list.map(\.observer) == [nil, "Screen", nil])
        #expect(list.map(\.options) == [[.old, .new, .prior], .initial, []])
        #expect(list.map(\.deliveredCount) == [2, 1, 1])
        #expect(list[0].fileID == "KeyValueObservingTests/ListingTests.swift" && list[0].line == line)
        #expect(
            "\(list[1])"
                == "\(path) [initial] observed by Screen at \(list[1].fileID):\(list[1].line), delivered 1")
    }

    @Test(
        "D1 The listing as text is aligned; a sentence where nobody observes", .enabled(if: hasReflectionMetadata))
    func description() {
        #expect(person.observationDescription == "Nobody observes this Person.")
        let screen = Screen()
        let controller = KVOController(observer: screen)
        controller.observe(person, \.name, options: .new, fileID: "App/Screen.swift", line: 7) { _, _, _ in }
        person.observe(\.age, fileID: "App/main.swift", line: 12) { _, _ in }.store(in: kept)
        person.age = 1
        #expect(
            person.observationDescription == """
                2 registrations on Person:
                  name  [new]       Screen  App/Screen.swift:7  delivered 0
                  age   [new, old]  –       App/main.swift:12   delivered 1
                """)
        controller.unobserveAll()
    }

    @Test(
        "2.7 D1 A label tells the registrations of one line apart, and names what has no other name",
        .enabled(if: hasReflectionMetadata))
    func labels() {
        let tokens = (1...2).map { _ in person.observe(\.age) { _, _ in } }
        #expect(tokens.map(\.label) == [nil, nil])
        for (number, token) in tokens.enumerated() { token.label = "row \(number)" }
        #expect(person.observationInfo.map(\.label) == ["row 0", "row 1"])
        #expect(person.observationInfo[1].description.hasPrefix("age “row 1” [new, old] at "))
        var names: [String] = []
        let computed = person.observe(\.halfAge) { names.append($1.name) }
        let expression = person.observe(reading: { $0.age + 1 }) { names.append($1.name) }
        let list = person.observe(keyPaths: [\.age, \.name]) { names.append($1.name) }
        (computed.label, expression.label, list.label) = ("half", "next", "both")
        person.age = 4
        #expect(names == ["half", "next", "age"])
        #expect(person.observationInfo.map(\.keyPath) == ["age", "age", "half", "next", "age", "name"])
        #expect(person.observationInfo.map(\.label).suffix(2) == ["both", "both"])
        tokens[0].invalidate()
        #expect(tokens[0].label == nil && tokens[1].label == "row 1")
        names = []
        let others = ["third", nil].map { label in
            let token = person.observe(\.thirdAge) { names.append($1.name) }
            if let label { token.label = label }
            return token
        }
        person.age = 9
        #expect(names[..<4] == ["half", "next", "age", "third"])
        #expect(names[4].contains(" Int at ListingTests.swift:"))
        withExtendedLifetime(others) {}
    }

    @Test("2.7 12.1 A sequence labels the registrations of its consumers")
    func labelsOfSequences() async {
        var iterator = person.changes(reading: { $0.age + 1 }).labeled("next").makeAsyncIterator()
        person.changes(of: \.age, \.name).labeled("both").deliverOnMainActor { _ in }.store(in: kept)
        person.age = 1
        #expect(await iterator.next()?.name == "next")
        #expect(person.observationInfo.map(\.label) == ["next", "both", "both"])
    }

    @Test(
        "D1 D3 A controller lists what it observes in the order in which that was registered",
        .enabled(if: hasReflectionMetadata))
    func orderOfObjects() {
        let people = (0..<10).map { _ in Person() }
        let controller = KVOController(observer: person)
        for person in people { controller.observe(person, \.age) { _, _, _ in } }
        for person in people.reversed() { controller.observe(person, \.name) { _, _, _ in } }
        controller.unobserve(people[3], \.age)
        let keys = "\(controller)".matches(of: /at (\w+)/).map(\.1)
        #expect(keys == Array(repeating: "age", count: 9) + Array(repeating: "name", count: 10))
    }

    @Test(
        "D3 Tokens and controllers say what they are of, with options by name in bit order",
        .enabled(if: hasReflectionMetadata))
    func debugDescriptions() {
        var screen: Screen? = Screen()
        let controller = KVOController(observer: screen!)
        #expect(String(reflecting: controller) == "KVOController of Screen, observing nothing")
        controller.observe(person, \.age, options: [.prior, .old, .new]) { _, _, _ in }
        controller.observe(person, \.name) { _, _, _ in }
        #expect(
            String(reflecting: controller)
                == "KVOController of Screen, observing Person at age [new, old, prior]; Person at name [new, old]")
        screen = nil
        #expect(String(reflecting: controller).hasPrefix("KVOController, whose Screen is gone, observing Person"))
        let token = person.observe(\.age) { _, _ in }
        #expect(String(reflecting: token) == "KeyValueObservation of age")
        token.invalidate()
        #expect(String(reflecting: token) == "KeyValueObservation, ended")
        let gone = Person().observe(\.age) { _, _ in }
        #expect(String(reflecting: gone) == "KeyValueObservation, ended")
    }

    @Test("D16 isObserved is about one key path, not about what it leads through or is computed from")
    func isObserved() {
        let token = person.observe(\.isAdult) { _, _ in }
        let path = person.observe(\.address?.city) { _, _ in }
        #expect(person.isObserved(\.isAdult) && person.isObserved(\.address?.city))
        #expect(!person.isObserved(\.age) && !person.isObserved(\.address) && !person.isObserved(\.months))
        token.invalidate()
        path.invalidate()
        #expect(!person.isObserved(\.isAdult) && !person.isObserved(\.address?.city))
    }

    @Test(
        "A6 D1 Key paths as text: parts of structs and tuples, optionals, computed properties by what names them",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func names() {
        person.address = Address()
        person.friend = Person()
        let (unusual, lamp) = (Unusual(), NamedLamp())
        [
            person.observe(\.frame.width) { _, _ in }, person.observe(\.friend!.friend?.name) { _, _ in },
            person.observe(\.isAdult, fileID: "App/Names.swift", line: 3) { _, _ in },
            person.observe(\.address?.zip) { _, _ in },
            unusual.observe(\.`class`) { _, _ in }, unusual.observe(\.pair.0) { _, _ in },
            lamp.observe(\.brightness) { _, _ in }, lamp.observe(\.watts) { _, _ in },
            lamp.observe(\.isOn, fileID: "App/Names.swift", line: 4) { _, _ in }, lamp.observe(\.[0]) { _, _ in },
        ].store(in: kept)
        person.friend?.friend = Person()
        #expect(
            person.observationInfo.map(\.keyPath) == [
                "frame.width", "friend.friend.name", "computed Bool at Names.swift:3", "address.zip",
            ])
        #expect(unusual.observationInfo.map(\.keyPath) == ["class", "pair.0"])
        let names = lamp.observationInfo.map(\.keyPath)
        #expect(names[..<2] == ["brightness", "watts"] && !names[3].contains("subscript"))
        #expect(names[2] == "computed Bool at Names.swift:4")
    }

    @Test("Options print their names in the order of their bits; the bits are Cocoa's (#66)")
    func options() {
        #expect("\(KeyValueObservingOptions([.prior, .old, .new, .initial]))" == "[new, old, initial, prior]")
        #expect("\(KeyValueObservingOptions([]))" == "[]")
        #expect("\(KeyValueObservingOptions(rawValue: 50))" == "[old, distinct, 32]")
        #expect(KeyValueObservingOptions([.new, .old, .initial, .prior, .distinct]).rawValue == 31)
        #expect([KeyValueChange.setting, .insertion, .removal, .replacement].map(\.rawValue) == [1, 2, 3, 4])
    }
}

private final class Unusual: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var `class` = 0
    @Observed var pair = (1, 2)
}

private final class NamedLamp: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var level = 0
    private var power = 0

    var isOn: Bool { level > 0 }
    var brightness: Int { level * 10 }
    var watts: Int {
        get {
            accessValue(for: \.watts)
            return power
        }
        set { changeValue(for: \.watts) { power = newValue } }
    }
    subscript(index: Int) -> Int {
        accessValue(for: \.[index])
        return level
    }

    static var keyPathsByKey: [String: AnyKeyPath] { ["brightness": \NamedLamp.brightness] }
}

extension Person {
    fileprivate var halfAge: Int { age / 2 }
    fileprivate var thirdAge: Int { age / 3 }
}
