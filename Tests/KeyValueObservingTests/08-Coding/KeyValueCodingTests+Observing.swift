// Observing by name: semantics 1.4, 1.5, rows A5, A14, A19 of the features.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Key-value coding: observing")
struct KeyValueCodingObservingTests {
    private let customer = Customer()
    private let log = Log()

    @Test("1.4 What its class declares is observed by name, although reading it shows nothing")
    func declaredByName() throws {
        let badge = Badge()
        let token = try badge.observe("number", options: [.old, .new]) { log.add($1) }
        badge.changeValue(for: \.number) { badge.number = 7 }
        #expect(log.take() == ["0→7"])
        withExtendedLifetime(token) {}
    }

    @Test("A19 Changes are those of the typed key path", arguments: (UInt(0)..<16).map(KeyValueObservingOptions.init))
    func sameAsTyped(options: KeyValueObservingOptions) throws {
        defer { customer.letGo() }
        let (typed, named) = (Log(), Log())
        customer.home = Place("a")
        var tokens: [KeyValueObservation] = []
        func both<Value>(_ typedKeyPath: KeyPath<Customer, Value>, _ text: String) throws {
            tokens.append(customer.observe(typedKeyPath, options: options) { typed.add($1, as: text) })
            tokens.append(try customer.observe(text, options: options) { named.add($1, as: text) })
        }
        try both(\.age, "age")
        try both(\.isAdult, "adult")
        try both(\.nickname, "nickname")
        try both(\.frame.width, "width")
        try both(\.home, "home")
        try both(\.home?.city, "home.city")
        try both(\.home?.rooms, "home.rooms")
        try both(\.office.city, "office.city")
        try both(\.home?.owner?.home?.rooms, "home.owner.home.rooms")
        try both(\.tags, "tags")
        try both(\.home?.owner?.tags, "home.owner.tags")
        try both(\.office.owner?.tags, "office.owner.tags")
        try both(\.office.owner?.sortedTags, "office.owner.sortedTags")
        customer.age = 20
        customer.nickname = "n"
        customer.nickname = nil
        customer.frame.width = 4
        customer.home?.owner = customer
        customer.home?.rooms = 3
        customer.home = Place("b")
        customer.home?.city = nil
        customer.home = nil
        customer.office = Place("c")
        customer.tags.append("x")
        customer.mutable(\.tags).insert("y", at: 0)
        customer.office.owner = customer
        customer.mutable(\.tags).remove(at: 1)
        customer.home = customer.office
        customer.mutable(\.tags).replaceSubrange(0..<1, with: ["a", "b"])
        let told = typed.take()
        #expect(named.take() == told)
        #expect(told.contains { $0.hasPrefix("home.owner.tags replacement") })
        withExtendedLifetime(tokens) {}
    }

    @Test("A19 The key path of a change is the typed one, and values have their type")
    func keyPathOfChange() throws {
        var keyPaths: [AnyKeyPath] = []
        var values: [Any?] = []
        let tokens = try ["age", "office.rooms", "home.rooms"].map {
            try customer.observe($0, options: .new) { person, change in
                keyPaths.append(change.keyPath)
                values.append(change.newValue)
            }
        }
        customer.age = 1
        customer.office.rooms = 2
        customer.home = Place()
        #expect(keyPaths.prefix(2) == [\Customer.age, \Customer.office.rooms])
        #expect(type(of: keyPaths[2]).valueType == Int?.self)
        #expect(values.map { $0 as? Int } == [1, 2, 0])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "A19 Changes of elements are those of the typed key path, also of inherited keys")
    func sameElements() throws {
        let (branch, typed) = (Branch(), Log())
        let tokens = [
            try branch.observe("manager.tags", options: [.old, .new]) { log.add($1) },
            branch.observe(\.manager.tags, options: [.old, .new]) { typed.add($1) },
        ]
        branch.manager.mutable(\.tags).append("x")
        branch.manager = RegularCustomer()
        branch.manager.mutable(\.tags).append("y")
        branch.manager.mutable(\.tags).removeLast()
        #expect(log.take() == ["insertion ·→[\"x\"]", "[\"x\"]→[]", "insertion ·→[\"y\"]", "removal [\"y\"]→·"])
        #expect(typed.take().count == 4)
        withExtendedLifetime(tokens) {}
    }

    @Test("A19 The name of a change is the string, and that of a typed one the property's")
    func stringOfChange() throws {
        let tokens = [
            try customer.observe("age") { log.add($1.name) },
            customer.observe(\.age) { log.add($1.name) },
            try customer.observe("friends.@count") { log.add($1.name) },
        ]
        customer.age = 1
        customer.friends = []
        #expect(log.take() == ["age", "age", "friends.@count"])
        withExtendedLifetime(tokens) {}
    }

    @Test("A19 Inherited keys, and objects seen as their base class")
    func inherited() throws {
        let regular = RegularCustomer()
        let seen: Customer = regular
        let tokens = [
            try regular.observe("age", options: .new) { log.add($1, as: "regular") },
            try seen.observe("age", options: .new) { log.add($1, as: "seen") },
            try seen.observe("discount", options: .new) { log.add($1, as: "discount") },
            try seen.observe("friends.@count", options: .new) { log.add($1, as: "count") },
        ]
        regular.age = 1
        regular.discount = 2
        regular.friends = [customer]
        #expect(log.take() == ["regular ·→1", "seen ·→1", "discount ·→2", "count ·→1"])

        let branch = Branch()
        let token = try branch.observe("manager.age", options: [.old, .new]) { log.add($1) }
        branch.manager.age = 3
        branch.manager = RegularCustomer()
        #expect(log.take() == ["0→3", "3→0"])
        withExtendedLifetime((tokens, token)) {}
    }

    @Test("A14 An empty or unknown key path is thrown with the reason, and nothing is registered")
    func badKeyPaths() {
        let bad = [
            "": "emptyKeyPath  of Customer", "agee": "undefinedKey agee of Customer (age)",
            "office.": "emptyKeyPath office. of Place", "office.citty": "undefinedKey citty of Place (city)",
            "tags.name": "undefinedKey name of Array<String>", "name.x": "undefinedKey x of String",
            "friends.@cuont": "invalidOperator @cuont of Array<Customer> (@count)",
            "constant": "notObservable constant of Customer",
        ]
        for (path, summary) in bad {
            #expect(codingError { try customer.observe(path) { _, _ in } }?.summary == summary)
        }
        #expect(customer.observationInfo.isEmpty)
    }

    @Test("1.4 A path through nil may be registered, and is followed when the middle appears")
    func nilMiddle() throws {
        let tokens = [
            try customer.observe("home.city", options: [.old, .new]) { log.add($1) },
            try customer.observe("anything.city", options: [.old, .new]) { log.add($1, as: "any") },
        ]
        customer.home = Place("Oslo")
        customer.anything = Place("Rome")
        (customer.anything as? Place)?.city = "Riga"
        customer.anything = nil
        #expect(log.take() == ["nil→Oslo", "any nil→Rome", "any Rome→Riga", "any Riga→nil"])
        withExtendedLifetime(tokens) {}
    }

    @Test("A19 Dictionaries and operators on the way are followed")
    func evaluated() throws {
        defer { customer.letGo() }
        customer.info = ["size": ["width": 1]]
        let tokens = [
            try customer.observe("info.size.width", options: [.old, .new]) { log.add($1) },
            try customer.observe("friends.@count", options: [.old, .new]) { log.add($1, as: "count") },
            try customer.observe("office.owner.tags.@count", options: [.old, .new]) { log.add($1, as: "owner") },
        ]
        try customer.setValue(2, forKeyPath: "info.size.width")
        customer.info = [:]
        customer.friends.append(Customer())
        customer.office.owner = customer
        customer.tags = ["a", "b"]
        #expect(log.take() == ["1→2", "2→nil", "count 0→1", "owner nil→0", "owner 0→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("A19 What a hook reads for an unknown key is observed")
    func undefinedKey() throws {
        let object = Accommodating()
        let token = try object.observe("other", options: [.old, .new]) { log.add($1) }
        object.others["other"] = 1
        #expect(log.take() == ["nil→1"])
        withExtendedLifetime(token) {}
    }

    @Test("1.6 A registration made by name is listed as it was written, and leaves nothing behind")
    func listing() throws {
        let paths = ["age", "adult", "home.city", "friends.@count"]
        var tokens = try paths.map { try customer.observe($0) { _, _ in } }
        let listed = customer.observationInfo.map(\.keyPath)
        withExtendedLifetime(tokens) {}
        #expect(listed == paths)
        tokens = []
        #expect(customer.observationInfo.isEmpty)

        let screen = Screen()
        let controller = KVOController(observer: screen)
        try controller.observe(customer, keyPath: "home.city") { _, _, _ in }
        #expect("\(controller)" == "KVOController of Screen, observing Customer at home.city []")
        withExtendedLifetime(tokens) {}
    }
}

/// Its manager's class lists keys that start at the class it inherits from.
private final class Branch: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var manager = RegularCustomer()

    static var keyPathsByKey: [String: AnyKeyPath] { ["manager": \Branch.manager] }
}

/// Announces its number, which does not say that it is read.
private final class Badge: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    var number = 0

    static var keyPathsByKey: [String: AnyKeyPath] { ["number": \Badge.number] }
    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Badge.number }
}
