// Observing by name: 1.4, 1.5, rows A5, A14, A16 and A19 of the features.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("8 Observing by name")
struct ObservingByNameTests {
    private let customer = Customer()
    private let kept = Kept()
    private let log = Log()
    private let screen = Screen()

    @Test(
        "A19 Changes are those of the typed key path",
        arguments: (UInt(0)..<16).map(KeyValueObservingOptions.init))
    func sameAsTyped(options: KeyValueObservingOptions) throws {
        defer { customer.letGo() }
        let (typed, named) = (Log(), Log())
        customer.home = Place("a")
        func both<Value>(_ typedKeyPath: KeyPath<Customer, Value>, _ text: String) throws {
            customer.observe(typedKeyPath, options: options) { typed.add($1, as: text) }.store(in: kept)
            try customer.observe(text, options: options) { named.add($1, as: text) }.store(in: kept)
        }
        try both(\.age, "age")
        try both(\.isAdult, "adult")
        try both(\.nickname, "nickname")
        try both(\.frame.width, "width")
        try both(\.home?.city, "home.city")
        try both(\.home?.rooms, "home.rooms")
        try both(\.office.city, "office.city")
        try both(\.home?.owner?.home?.rooms, "home.owner.home.rooms")
        try both(\.tags, "tags")
        try both(\.home?.owner?.tags, "home.owner.tags")
        try both(\.office.owner?.sortedTags, "office.owner.sortedTags")
        customer.age = 20
        customer.nickname = "n"
        customer.nickname = nil
        customer.frame.width = 4
        customer.home?.owner = customer
        customer.home?.rooms = 3
        customer.home = Place("b")
        customer.home = nil
        customer.office = Place("c")
        customer.mutable(\.tags).insert("y", at: 0)
        customer.office.owner = customer
        customer.mutable(\.tags).remove(at: 0)
        customer.home = customer.office
        customer.mutable(\.tags).append(contentsOf: ["a", "b"])
        let told = typed.take()
        #expect(named.take() == told)
        #expect(
            told.contains { $0.hasPrefix("home.owner.tags insertion") } == RuntimeAssumption.keyPathComponents.holds)
    }

    @Test("A19 A change has the typed key path, the string as its name, and values of their type")
    func change() throws {
        var lines: [String] = []
        try ["age", "office.rooms", "home.rooms", "friends.@count"].map {
            try customer.observe($0, options: .new) { _, change in
                let isTyped = [\Customer.age, \Customer.office.rooms].contains(change.keyPath)
                lines.append("\(change.name) \(isTyped) \(type(of: change.keyPath).valueType)")
            }
        }.store(in: kept)
        customer.age = 1
        customer.office.rooms = 2
        customer.home = Place()
        customer.friends = []
        #expect(lines.prefix(3) == ["age true Int", "office.rooms true Int", "home.rooms false Optional<Int>"])
        #expect(lines[3].hasPrefix("friends.@count false"))
    }

    @Test("A19 1.4 Inherited keys, dictionaries, operators, hooks, a nil middle and what a class declares are observed")
    func followed() throws {
        defer { customer.letGo() }
        let (regular, branch, badge, hooked) = (RegularCustomer(), Branch(), Badge(), Accommodating())
        let seen: Customer = regular
        customer.info = ["size": ["width": 1]]
        func observe(_ object: some KeyValueCodable, _ keyPath: String) throws {
            try object.observe(keyPath, options: [.old, .new]) { [log] in log.add($1, as: keyPath) }.store(in: kept)
        }
        func told(_ body: () throws -> Void) rethrows -> [String] {
            try body()
            return log.take()
        }
        for keyPath in ["discount", "friends.@count"] { try observe(seen, keyPath) }
        for keyPath in ["manager.age", "manager.tags"] { try observe(branch, keyPath) }
        try observe(badge, "number")
        try observe(hooked, "other")
        for path in ["info.size.width", "office.owner.tags.@count", "anything.city"] { try observe(customer, path) }
        #expect(told { regular.discount = 2 } == ["discount 10→2"])
        #expect(told { regular.friends = [customer] } == ["friends.@count 0→1"])
        #expect(told { branch.manager.age = 3 } == ["manager.age 0→3"])
        let elements = RuntimeAssumption.keyPathComponents.holds ? #"insertion ·→["x"]"# : #"[]→["x"]"#
        #expect(told { branch.manager.mutable(\.tags).append("x") } == ["manager.tags \(elements)"])
        #expect(told { branch.manager = RegularCustomer() } == ["manager.age 3→0", "manager.tags [\"x\"]→[]"])
        #expect(told { badge.changeValue(for: \.number) { badge.number = 7 } } == ["number 0→7"])
        #expect(told { hooked.others["other"] = 1 } == ["other nil→1"])
        #expect(try told { try customer.setValue(2, forKeyPath: "info.size.width") } == ["info.size.width 1→2"])
        #expect(told { customer.info = [:] } == ["info.size.width 2→nil"])
        #expect(told { customer.office.owner = customer } == ["office.owner.tags.@count nil→0"])
        #expect(told { customer.tags = ["a", "b"] } == ["office.owner.tags.@count 0→2"])
        #expect(told { customer.anything = Place("Rome") } == ["anything.city nil→Rome"])
        #expect(told { (customer.anything as? Place)?.city = "Riga" } == ["anything.city Rome→Riga"])
        #expect(told { customer.anything = nil } == ["anything.city Riga→nil"])
    }

    // #17 #40 #41 #165
    @Test("A14 1.5 An empty or unknown key path is thrown with the reason, by a controller too, and is not registered")
    func badKeyPaths() {
        let bad = [
            "": "emptyKeyPath  of Customer", "agee": "undefinedKey agee of Customer (age)",
            "office.": "emptyKeyPath office. of Place", "office.citty": "undefinedKey citty of Place (city)",
            "tags.name": "undefinedKey name of Array<String>", "name.x": "undefinedKey x of String",
            "friends.@cuont": "invalidOperator @cuont of Array<Customer> (@count)",
            "constant": "notObservable constant of Customer", "friends.name": "undefinedKey name of Array<Customer>",
            "circle.city": "undefinedKey city of Set<Place>",
        ]
        let controller = KVOController(observer: screen)
        for (path, summary) in bad {
            #expect(codingError { try customer.observe(path) { _, _ in } }?.summary == summary)
            // All are checked before the first is registered.
            let error = codingError {
                try controller.observe(customer, keyPaths: ["age", path], options: .initial) { screen, _, _ in
                    screen.log.add("half done")
                }
            }
            #expect(error?.summary == summary)
            controller.unobserve(customer, keyPath: path)
        }
        let ofOptional = codingError { try Branch().observe("guests.name") { _, _ in } }
        #expect(ofOptional?.summary == "undefinedKey name of Array<Customer>")
        let none = codingError { try controller.observe(customer, keyPaths: [String]()) { _, _, _ in } }
        #expect(none?.code == .emptyKeyPath && screen.log.take() == [] && customer.observationInfo.isEmpty)
    }

    @Test("A14 A15 A nil object and an observer that is gone are no errors, whatever the key path")
    func nobody() throws {
        let controller = KVOController(observer: screen)
        let nobody: Customer? = nil
        try controller.observe(nobody, keyPath: "agee") { _, _, _ in }
        try controller.observe(nobody, keyPaths: [String]()) { _, _, _ in }
        controller.unobserve(nobody, keyPaths: ["age", ""])
        try KVOController(observer: Screen()).observe(customer, keyPath: "age") { _, _, _ in }
        #expect(customer.observationInfo.isEmpty)
    }

    @Test("A16 A property by name and by key path is the same pair, as are equal strings, whatever the class's name")
    func duplicates() throws {
        let regular = RegularCustomer()
        for policy: KVOController<Screen>.DuplicatePolicy in [.ignore, .replace] {
            let controller = KVOController(observer: screen, duplicates: policy)
            for text in ["age", "home.city", "friends.@count", "anything.city"] {
                try controller.observe(regular, keyPath: text) { screen, _, _ in screen.log.add("first") }
                try controller.observe(regular as Customer, keyPath: text) { screen, _, _ in screen.log.add("second") }
                #expect(regular.observationInfo.map(\.keyPath) == [text] && "\(controller)".contains("at \(text) ["))
                if text == "age" {
                    controller.observe(regular as Customer, \.age) { screen, _, _ in screen.log.add("third") }
                    regular.age += 1
                    #expect(screen.log.take() == [policy == .ignore ? "first" : "third"])
                }
                controller.unobserve(regular as Customer, keyPaths: [text])
                #expect(regular.observationInfo.isEmpty)
            }
        }
    }
}

/// Its manager's class lists keys that start at the class it inherits from.
private final class Branch: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var manager = RegularCustomer()
    @Observed var guests: [Customer]?

    static var keyPathsByKey: [String: AnyKeyPath] { ["manager": \Branch.manager, "guests": \Branch.guests] }
}

/// Announces its number, which does not say that it is read.
private final class Badge: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    var number = 0

    static var keyPathsByKey: [String: AnyKeyPath] { ["number": \Badge.number] }
    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Badge.number }
}
