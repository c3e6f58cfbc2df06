// Reading and setting by name: semantics 8.1 to 8.4 and 8.7, rows D8 to D10 of the features.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Key-value coding: keys")
struct KeyValueCodingTests {
    private let customer = Customer()

    @Test("8.1 D8 Reading looks for key, isKey, _key, _isKey, in this order")
    func readingOrder() throws {
        customer.age = 20
        #expect(try customer.value(forKey: "age") as? Int == 20)
        #expect(try customer.value(forKey: "adult") as? Bool == true)
        #expect(try customer.value(forKey: "isAdult") as? Bool == true)
        #expect(try customer.value(forKey: "code") as? Int == 0)
        #expect(try customer.value(forKey: "hidden") as? Bool == false)
        let order = SearchOrder()
        #expect(
            try ["a", "b", "c", "d", "g"].map { try order.value(forKey: $0) as? String }
                == ["a", "isB", "_c", "isD", "_isG"])
    }

    @Test("8.1 D8 Setting looks for key, _key, _isKey, isKey, and passes over what can only be read")
    func writingOrder() throws {
        let order = SearchOrder()
        for key in ["a", "b", "c", "d", "e", "f", "g"] { try order.setValue("set", forKey: key) }
        #expect(order.wasSet == ["a", "_b", "_c", "_isD", "isE", "_f", "_isG"])
    }

    @Test("8.1 What can only be read is not written, and is not undefined either")
    func notWritable() {
        #expect(
            codingError { try customer.setValue(true, forKey: "adult") }?.summary == "notWritable adult of Customer")
        #expect(codingError { try customer.setValue(1, forKey: "constant") }?.code == .notWritable)
    }

    @Test("8.1 D10 Without access to storage, _key and _isKey are not found; isKey is found for reading only")
    func noDirectAccess() throws {
        let reserved = Reserved()
        #expect(codingError { try reserved.value(forKey: "code") }?.code == .undefinedKey)
        #expect(codingError { try reserved.setValue(2, forKey: "code") }?.code == .undefinedKey)
        #expect(try reserved.value(forKey: "_code") as? Int == 1)
        #expect(try reserved.value(forKey: "open") as? Bool == false)
        #expect(codingError { try reserved.setValue(true, forKey: "open") }?.code == .undefinedKey)
        try reserved.setValue(true, forKey: "isOpen")
        #expect(reserved.isOpen)
    }

    @Test("8.2 D9 A set by name notifies once")
    func oneNotification() throws {
        let log = Log()
        let token = customer.observe(\.age, options: [.old, .new, .prior]) { log.add($1) }
        try customer.setValue(3, forKey: "age")
        #expect(log.take() == ["prior 0→·", "0→3"])
        try customer.setValuesForKeys(["age": 4, "name": "x"])
        #expect(log.take() == ["prior 3→·", "3→4"])
        withExtendedLifetime(token) {}
    }

    @Test("8.3 Nil for a property that is not optional goes to setNilValue, which throws by default")
    func nilForNonOptional() throws {
        let absent = Int?.none as Any
        customer.age = 1
        for value in [nil, absent, Int??.some(nil) as Any] {
            #expect(
                codingError { try customer.setValue(value, forKey: "age") }?.summary
                    == "nilForNonOptional age of Customer")
            customer.points = 1
            try customer.setValue(value, forKey: "points")
            #expect(customer.points == nil)
        }
        #expect(customer.age == 1)
        let accommodating = Accommodating()
        try accommodating.setValue(nil, forKey: "count")
        #expect(accommodating.count == 0)
        #expect(codingError { try Strict().setValue(nil, forKey: "count") }?.code == .nilForNonOptional)
    }

    @Test("8.4 Values keep their type, optionals are taken off and put on")
    func conversion() throws {
        try customer.setValue("Bob" as String?, forKey: "name")
        try customer.setValue("Bobby", forKey: "nickname")
        try customer.setValue(Place("Oslo"), forKey: "home")
        try customer.setValue(AnyHashable(4), forKey: "points")
        try customer.setValue(Frame(width: 3), forKey: "frame")
        try customer.setValue([1, "two"] as [Any], forKey: "anything")
        #expect(customer.name == "Bob" && customer.nickname == "Bobby" && customer.home?.city == "Oslo")
        #expect(customer.points == 4 && customer.frame.width == 3)
        #expect((customer.anything as? [Any])?.count == 2)
        #expect(
            codingError { try customer.setValue(5, forKey: "name") }?.summary == "typeMismatch name of Customer")
        #expect(codingError { try customer.setValue("5", forKey: "age") }?.code == .typeMismatch)
    }

    @Test("8.4 Numbers convert if nothing is lost, and Bool is no number")
    func numbers() throws {
        try customer.setValue(3.0, forKey: "age")
        try customer.setValue(UInt8(7), forKey: "weight")
        try customer.setValue(255, forKey: "small")
        #expect(customer.age == 3 && customer.weight == 7 && customer.small == 255)
        for (key, value) in [("age", 3.5), ("small", 256), ("age", true), ("weight", true), ("isMember", 1)]
            as [(String, Any)]
        {
            #expect(codingError { try customer.setValue(value, forKey: key) }?.code == .typeMismatch)
        }
        #expect(codingError { try customer.setValue(AnyHashable(true), forKey: "points") }?.code == .typeMismatch)
        try customer.setValue(true, forKey: "isMember")
        #expect(customer.isMember)
        try customer.setValue(NSNumber(value: 12), forKey: "age")
        #expect(customer.age == 12)
        #expect(codingError { try customer.setValue(NSNumber(value: 1.5), forKey: "age") }?.code == .typeMismatch)
        #expect(codingError { try customer.setValue(NSNumber(value: 1), forKey: "isMember") }?.code == .typeMismatch)
    }

    @Test("8.1 A value that is nil is nil, without an optional within")
    func noNestedOptional() throws {
        #expect(try customer.value(forKey: "nickname") == nil)
        #expect(try customer.value(forKey: "anything") == nil)
        customer.nickname = "n"
        customer.anything = Int?.some(3) as Any
        #expect(type(of: try #require(try customer.value(forKey: "nickname"))) == String.self)
        #expect(type(of: try #require(try customer.value(forKey: "anything"))) == Int.self)
        customer.anything = Int?.none as Any
        #expect(try customer.value(forKey: "anything") == nil)
    }

    @Test("8.7 An unknown key is thrown with the keys that resemble it, the nearest first")
    func nearKeys() {
        #expect(
            codingError { try customer.value(forKey: "agee") }?.summary
                == "undefinedKey agee of Customer (age)")
        #expect(
            codingError { try customer.setValue(1, forKey: "nikcname") }?.summary
                == "undefinedKey nikcname of Customer (nickname)")
        #expect(codingError { try customer.value(forKey: "tag") }?.nearKeys == ["tags", "age"])
        #expect(codingError { try customer.value(forKey: "unrelated") }?.nearKeys == [])
        #expect(codingError { try customer.value(forKey: "") }?.code == .emptyKeyPath)
        #expect(codingError { try customer.setValue(1, forKey: "") }?.code == .emptyKeyPath)
    }

    @Test("8.1 A subclass adds keys; the class of the object decides, not the type it is seen as")
    func subclass() throws {
        let seen: Customer = RegularCustomer()
        try seen.setValue(15, forKey: "discount")
        try seen.setValue(4, forKey: "age")
        #expect(try seen.value(forKey: "discount") as? Int == 15)
        #expect(try (seen as any KeyValueCodable).value(forKey: "age") as? Int == 4)
        #expect(codingError { try customer.value(forKey: "discount") }?.objectType == "Customer")
    }

    @Test("8.4 Several keys at once: all are looked for and converted before one is set")
    func severalKeys() throws {
        try customer.setValuesForKeys(["age": 3, "nickname": nil, "name": "Bob"])
        #expect(customer.age == 3 && customer.name == "Bob")
        for wrong in [("zzz", 1), ("small", 300), ("weight", nil), ("adult", true)] as [(String, Any?)] {
            #expect(codingError { try customer.setValuesForKeys(["age": 9, wrong.0: wrong.1]) }?.key == wrong.0)
        }
        #expect(customer.age == 3)

        let log = Log()
        let tokens = [
            customer.observe(\.age) { _, _ in log.add("age") }, customer.observe(\.name) { _, _ in log.add("name") },
            customer.observe(\.weight) { _, _ in log.add("weight") },
        ]
        try customer.setValuesForKeys(["weight": 1, "name": "", "age": 1])
        #expect(log.take() == ["age", "name", "weight"])
        withExtendedLifetime(tokens) {}
    }

    @Test("8.7 A key path that starts at another class is a programmer error")
    func foreignKeyPath() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Mistaken: KeyValueCodable {
                let keyValueRegistrar = KeyValueRegistrar()
                static var keyPathsByKey: [String: AnyKeyPath] { ["city": \Place.city] }
            }
            _ = try? Mistaken().value(forKey: "city")
        }
        #expect(words("keyPathsByKey", "Mistaken", "city", missingIn: message(of: result)) == [])
    }
}

/// Each key names the property that must be found for it.
private final class SearchOrder: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    private(set) var wasSet: [String] = []

    private subscript(name: String) -> String {
        get { name }
        set { wasSet.append(name) }
    }
    private subscript(readOnly name: String) -> String { name }

    static var keyPathsByKey: [String: AnyKeyPath] {
        var keyPaths: [String: AnyKeyPath] = [:]
        for name in ["a", "isA", "_a", "_isA", "isB", "_b", "_isB", "_c", "_isC", "_isD", "isD", "isE", "_f", "_isG"] {
            keyPaths[name] = \SearchOrder.[name]
        }
        keyPaths["f"] = \SearchOrder.[readOnly: "f"]
        return keyPaths
    }
}
