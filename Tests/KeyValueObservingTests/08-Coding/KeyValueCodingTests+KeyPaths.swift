// Key paths that are strings: semantics 8.5, 8.7.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Key-value coding: key paths")
struct KeyValueCodingPathTests {
    private let customer = Customer()

    @Test("8.5 A key path leads through objects; nil gives nil")
    func objects() throws {
        defer { customer.letGo() }
        #expect(try customer.value(forKeyPath: "home.city") == nil)
        customer.home = Place("Oslo")
        customer.home?.owner = customer
        #expect(try customer.value(forKeyPath: "home.city") as? String == "Oslo")
        #expect(try customer.value(forKeyPath: "home.owner.home.city") as? String == "Oslo")
        #expect(try customer.value(forKeyPath: "age") as? Int == 0)
        #expect(
            codingError { try customer.value(forKeyPath: "home.citty") }?.summary
                == "undefinedKey citty of Place (city)")
    }

    @Test("8.5 Arrays answer for each element, nil included; sets drop nil")
    func collections() throws {
        customer.friends = [Customer(), Customer()]
        customer.friends[0].nickname = "a"
        customer.friends[0].home = Place("Oslo")
        #expect(try customer.value(forKeyPath: "friends.nickname") as? [String?] == ["a", nil])
        #expect(try customer.value(forKeyPath: "friends.home.city") as? [String?] == ["Oslo", nil])
        #expect(try customer.value(forKeyPath: "friends.friends.age") as? [[Int]] == [[], []])
        customer.circle = [Place("Rome"), Place("Rome"), Place(nil)]
        #expect(try customer.value(forKeyPath: "circle.city") as? Set<AnyHashable> == ["Rome"])
        #expect(codingError { try customer.value(forKeyPath: "tags.length") } == nil)
        customer.tags = ["x"]
        #expect(
            codingError { try customer.value(forKeyPath: "tags.length") }?.summary == "undefinedKey length of String")
    }

    @Test("8.5 A set's answers must be hashable")
    func unhashable() {
        defer { customer.letGo() }
        customer.circle = [Place("Rome")]
        customer.circle.first?.owner = customer
        #expect(
            codingError { try customer.value(forKeyPath: "circle.owner") }?.summary == "typeMismatch owner of Customer")
    }

    @Test("8.5 Dictionaries look up, keys that begin with @ excepted (8.6)")
    func dictionaries() throws {
        customer.info = ["size": ["width": 4], "@count": "literal", "": ["": 1], "any": [AnyHashable("x"): 2]]
        #expect(try customer.value(forKeyPath: "info.size.width") as? Int == 4)
        #expect(try customer.value(forKeyPath: "info.nothing.at.all") == nil)
        #expect(try customer.value(forKeyPath: "info.@count") as? Int == 4)
        #expect(try customer.value(forKeyPath: "info..") as? Int == 1)
        #expect(try customer.value(forKeyPath: "info.any.x") as? Int == 2)
        customer.info = ["numbered": [1: 2]]
        #expect(codingError { try customer.value(forKeyPath: "info.numbered.1") }?.code == .undefinedKey)
    }

    @Test("8.7 An empty key path is an error, and so is an empty component of an object")
    func empty() {
        customer.home = Place()
        for path in ["", ".", ".age", "home.", "home..city", "home.owner.", "tags.", "friends.@count."] {
            let error = codingError { try customer.value(forKeyPath: path) }
            #expect(error?.code == .emptyKeyPath || (path == "home.owner." && error == nil), "\(path)")
        }
        for path in ["", ".", ".age", "home.", "home..city"] {
            #expect(codingError { try customer.setValue(1, forKeyPath: path) }?.code == .emptyKeyPath, "\(path)")
        }
    }

    @Test("8.5 Setting leads to the last object, and notifies there once (8.2)")
    func set() throws {
        let (log, place) = (Log(), Place())
        let token = place.observe(\.city, options: [.old, .new]) { log.add($1) }
        try customer.setValue("Rome", forKeyPath: "home.city")
        #expect(log.take() == [])
        customer.home = place
        try customer.setValue("Oslo", forKeyPath: "home.city")
        #expect(log.take() == ["nil→Oslo"])
        #expect(
            codingError { try customer.setValue(1, forKeyPath: "home.city") }?.summary == "typeMismatch city of Place")
        #expect(codingError { try customer.setValue(1, forKeyPath: "home.citty.x") }?.nearKeys == ["city"])
        #expect(codingError { try customer.setValue(1, forKeyPath: "name.x") }?.summary == "undefinedKey x of String")
        withExtendedLifetime(token) {}
    }

    @Test("8.5 A dictionary on the way is written back, as one change of its property; nil removes the key")
    func setInDictionary() throws {
        let log = Log()
        let token = customer.observe(\.info) { _, _ in log.add("info") }
        customer.info = ["size": ["width": 4]]
        try customer.setValue(5, forKeyPath: "info.size.width")
        try customer.setValue(nil, forKeyPath: "info.nothing")
        try customer.setValue("x", forKeyPath: "info.name")
        #expect(log.take() == ["info", "info", "info", "info"])
        #expect(customer.info["size"] as? [String: Int] == ["width": 5])
        try customer.setValue(nil, forKeyPath: "info.name")
        #expect(customer.info.count == 1)
        _ = log.take()
        try customer.setValue(1, forKeyPath: "info.missing.key")
        #expect(log.take() == [] && customer.info.count == 1)
        #expect(codingError { try customer.setValue("wide", forKeyPath: "info.size.width") }?.code == .typeMismatch)
        withExtendedLifetime(token) {}
    }

    @Test("8.5 Every element of an array or a set is set")
    func setInCollections() throws {
        customer.friends = [Customer(), Customer()]
        try customer.setValue(7, forKeyPath: "friends.age")
        #expect(customer.friends.map(\.age) == [7, 7])
        customer.friends[1].home = Place()
        try customer.setValue("Oslo", forKeyPath: "friends.home.city")
        #expect(customer.friends.map(\.home?.city) == [nil, "Oslo"])
        customer.circle = [Place("a"), Place("b")]
        try customer.setValue("c", forKeyPath: "circle.city")
        #expect(customer.circle.allSatisfy { $0.city == "c" })
        customer.info = ["list": [["a": 1], ["a": 2]]]
        try customer.setValue(3, forKeyPath: "info.list.a")
        #expect(customer.info["list"] as? [[String: Int]] == [["a": 3], ["a": 3]])
    }

    @Test("8.6 An operator is applied to what stands left of it, and cannot be set")
    func operators() {
        customer.tags = ["a", "b"]
        #expect((try? customer.value(forKeyPath: "tags.@count")) as? Int == 2)
        #expect(codingError { try customer.setValue(1, forKeyPath: "tags.@count") }?.code == .invalidOperator)
        #expect(codingError { try customer.setValue(1, forKeyPath: "friends.@count.x") }?.code == .invalidOperator)
    }
}
