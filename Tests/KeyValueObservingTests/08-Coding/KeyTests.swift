// Reading and setting by key: 8.1 to 8.4 and 8.7, rows D6 and D8 to D10 of the features.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

/// What a body gives, as text: a value, or the error in short.
func outcome(_ body: () throws -> Any?) -> String {
    do {
        return try body().map { "\($0)" } ?? "nil"
    } catch {
        return (error as? KeyValueCodingError)?.summary ?? "\(error)"
    }
}

@Suite("8 Keys")
struct KeyTests {
    private let customer = Customer()

    @Test("8.1 D8 Reading looks for key, isKey, _key, _isKey; setting for key, _key, _isKey, isKey that can be set")
    func searchOrder() throws {
        let order = SearchOrder()
        #expect(
            try ["a", "b", "c", "d", "g"].map { try order.value(forKey: $0) as? String }
                == ["a", "isB", "_c", "isD", "_isG"])
        for key in ["a", "b", "c", "d", "e", "f", "g"] { try order.setValue("set", forKey: key) }
        #expect(order.wasSet == ["a", "_b", "_c", "_isD", "isE", "_f", "_isG"])
    }

    // #284
    @Test("8.1 8.7 D10 What reading a key gives, or why it cannot be read")
    func reading() {
        let (seen, reserved): (Customer, Reserved) = (RegularCustomer(), Reserved())
        customer.age = 20
        let rows: [(any KeyValueCodable, String, String)] = [
            (customer, "age", "20"), (customer, "adult", "true"), (customer, "isAdult", "true"),
            (customer, "code", "0"), (customer, "hidden", "false"), (customer, "nickname", "nil"),
            // The class of the object decides, not the type that it is seen as.
            (seen, "discount", "10"), (seen, "age", "0"),
            (customer, "discount", "undefinedKey discount of Customer"),
            (reserved, "code", "undefinedKey code of Reserved (_code)"), (reserved, "_code", "1"),
            (reserved, "open", "false"), (Accommodating(), "another", "nil"), (Strict(), "x", "strictly no x"),
            (customer, "agee", "undefinedKey agee of Customer (age)"),
            (customer, "tag", "undefinedKey tag of Customer (tags, age)"),
            (customer, "unrelated", "undefinedKey unrelated of Customer"),
            (customer, "", "emptyKeyPath  of Customer"),
        ]
        for (object, key, expected) in rows { #expect(outcome { try object.value(forKey: key) } == expected, "\(key)") }
    }

    // #277 #284 #285 #290
    @Test("8.1 8.3 8.4 What a property is after it was set, or why it cannot be set and keeps its value")
    func setting() {
        let (reserved, accommodating) = (Reserved(), Accommodating())
        let absent = Int?.none as Any
        customer.points = 5
        let rows: [(any KeyValueCodable, String, Any?, String)] = [
            (customer, "name", "Bob" as String?, "Bob"), (customer, "nickname", "Bobby", "Bobby"),
            (customer, "points", AnyHashable(4), "4"), (customer, "points", absent, "nil"),
            (customer, "frame", Frame(width: 3), "\(Frame(width: 3))"),
            (customer, "anything", [1, "two"] as [Any], #"[1, "two"]"#), (customer, "anything", absent, "nil"),
            (customer, "age", 3.0, "3"), (customer, "weight", UInt8(7), "7.0"), (customer, "small", 255, "255"),
            (customer, "weight", AnyHashable(3), "3.0"), (customer, "age", NSNumber(value: 12), "12"),
            (customer, "isMember", true, "true"), (customer, "größe", 1, "1"),
            (reserved, "isOpen", true, "true"), (accommodating, "other", "x", "x"), (accommodating, "count", nil, "0"),
            (customer, "name", 5, "typeMismatch name of Customer"),
            (customer, "age", "5", "typeMismatch age of Customer"),
            (customer, "age", 3.5, "typeMismatch age of Customer"),
            (customer, "small", 256, "typeMismatch small of Customer"),
            (customer, "age", true, "typeMismatch age of Customer"),
            (customer, "isMember", 1, "typeMismatch isMember of Customer"),
            (customer, "points", AnyHashable(true), "typeMismatch points of Customer"),
            (customer, "age", nil, "nilForNonOptional age of Customer"),
            (customer, "age", Int??.some(nil) as Any, "nilForNonOptional age of Customer"),
            (Strict(), "count", nil, "nilForNonOptional count of Strict"),
            (customer, "adult", true, "notWritable adult of Customer"),
            (customer, "constant", 1, "notWritable constant of Customer"),
            (reserved, "code", 2, "undefinedKey code of Reserved (_code)"),
            (reserved, "open", true, "undefinedKey open of Reserved"),
            (customer, "nikcname", 1, "undefinedKey nikcname of Customer (nickname)"),
            (customer, "", 1, "emptyKeyPath  of Customer"),
        ]
        for (object, key, value, expected) in rows {
            let before = outcome { try object.value(forKey: key) }
            let told = outcome {
                try object.setValue(value, forKey: key)
                return try object.value(forKey: key)
            }
            #expect(told == expected, "\(key)")
            if told.contains(" of ") { #expect(outcome { try object.value(forKey: key) } == before, "\(key)") }
        }
        customer.anything = Int?.some(3) as Any
        #expect((try? customer.value(forKey: "anything")).map { type(of: $0) } == Int.self)
    }

    // #13
    @Test("8.2 8.4 D9 Several keys: all are looked for and converted before one is set, each notifies once, in order")
    func severalKeys() throws {
        let watcher = Watcher()
        let log = watcher.log
        watcher.watch(customer, \.age, as: "age", [.old, .new, .prior])
        watcher.watch(customer, \.name, as: "name", .new)
        watcher.watch(customer, \.weight, as: "weight", .new)
        try customer.setValue(3, forKey: "age")
        try customer.setValuesForKeys(["weight": 1, "name": "Bob", "age": 4, "nickname": nil])
        #expect(log.take() == ["age prior 0→·", "age 0→3", "age prior 3→·", "age 3→4", "name ·→Bob", "weight ·→1.0"])
        for wrong in [("zzz", 1), ("small", 300), ("weight", nil), ("adult", true)] as [(String, Any?)] {
            #expect(codingError { try customer.setValuesForKeys(["age": 9, wrong.0: wrong.1]) }?.key == wrong.0)
        }
        #expect(log.take() == [])
        let poster = Poster()
        try poster.setValuesForKeys(["scale": nil, "unknown": 1, "title": "t"])
        #expect(poster.asked.take() == ["nil for scale", "unknown"] && poster.title == "t")
    }

    @Test(
        "8.7 A near key is a slip or two away, and something of it is left",
        arguments: [
            // As many characters are missing as may be.
            ("be", ["bend"]),
            // Nothing is left of a key whose characters are all replaced.
            ("q", []), ("xy", []),
            // Neighbours that are swapped are one slip, and come before two.
            ("naem", ["name", "naemaa"]),
            // Only neighbors that are swapped are one slip.
            ("rst", ["zst", "stu"]),
        ])
    func nearKeys(key: String, near: [String]) {
        #expect(codingError { try Vocabulary().value(forKey: key) }?.nearKeys == near)
    }

    // #293 #295 #297
    @Test("8.7 Validation may replace or refuse a value, asks the last object of a key path, and is never automatic")
    func validation() throws {
        let company = Company()
        func validate(_ value: Any?, _ keyPath: String) -> String {
            outcome {
                var value = value
                try company.validateValue(&value, forKeyPath: keyPath)
                return value
            }
        }
        #expect(validate(200, "chief.age") == "150" && validate(20, "chief.age") == "20")
        #expect(company.asked.take() == ["age", "age"])
        #expect(validate(-3, "chief.age") == "invalidValue age of Chief")
        #expect(validate("x", "chief") == "x" && validate("x", "unknown") == "x")
        #expect(company.asked.take() == ["age", "chief", "unknown"])
        let rows = [
            "staff.@count": "invalidOperator @count of Company", "@count": "invalidOperator @count of Company",
            "staff.": "emptyKeyPath staff. of Array<Chief>", "chief.": "emptyKeyPath chief. of Company",
            "chief.age.": "emptyKeyPath chief.age. of Int", "chief..age": "emptyKeyPath chief..age of Chief",
        ]
        for (keyPath, expected) in rows { #expect(validate(1, keyPath) == expected) }
        _ = company.asked.take()
        try company.setValue(-3, forKeyPath: "chief.age")
        try company.chief.setValuesForKeys(["age": -4])
        try company.setValue(-5, forKeyPath: "staff.age")
        try company.mutableArrayValue(forKey: "staff").append(Chief(company.asked))
        #expect(company.chief.age == -5 && company.asked.take() == [])
        var count: Any? = -5
        try Accommodating().validateValue(&count, forKey: "count")
        #expect(count as? Int == 0)
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

    @Test("D6 9.3 A class's keys are read once, or by each of 8 threads that come first")
    func askedOnce() {
        onThreads(8) { _ in
            for _ in 0..<1250 { _ = try? Asked().value(forKey: "number") }
        }
        let questions = Dictionary(grouping: Asked.questions.take()) { $0 }
        #expect(questions.keys.sorted() == ["keys", "storage"])
        #expect(questions.values.allSatisfy { $0.count <= 8 }, "for 10,000 objects")
        _ = try? Asked().value(forKey: "number")
        #expect(Asked.questions.take() == [])
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

/// Has keys that resemble each other.
private final class Vocabulary: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var word = ""

    static var keyPathsByKey: [String: AnyKeyPath] {
        Dictionary(
            uniqueKeysWithValues: ["a", "uv", "bend", "name", "naemaa", "stu", "zst"].map { ($0, \Vocabulary.word) })
    }
}

/// Has objects that validate, as it does itself.
private final class Company: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    let asked = Log()
    @Observed var chief: Chief
    @Observed var staff: [Chief]

    init() {
        chief = Chief(asked)
        staff = []
        staff = [chief]
    }

    static var keyPathsByKey: [String: AnyKeyPath] { ["chief": \Company.chief, "staff": \Company.staff] }

    func validateValue(_ value: inout Any?, forKey key: String) throws { asked.add(key) }
}

/// Accepts ages from 0, and cuts them at 150.
private final class Chief: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 40
    private let asked: Log

    init(_ asked: Log) { self.asked = asked }

    static var keyPathsByKey: [String: AnyKeyPath] { ["age": \Chief.age] }

    func validateValue(_ value: inout Any?, forKey key: String) throws {
        asked.add(key)
        guard let age = value as? Int else { return }
        guard age >= 0 else { throw KeyValueCodingError(code: .invalidValue, key: key, objectType: Chief.self) }
        value = min(age, 150)
    }
}

private final class Asked: KeyValueCodable {
    static let questions = Questions()
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0

    static var keyPathsByKey: [String: AnyKeyPath] {
        questions.add("keys")
        return ["number": \Asked.number]
    }
    static var accessesStorageDirectly: Bool {
        questions.add("storage")
        return true
    }
}

/// Has a hook for nil and one for unknown keys.
final class Poster: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    let asked = Questions()
    @Observed var title = ""
    @Observed var scale: Float = 1
    @Observed var isShown = false
    @Observed var rows: Set<[String: Int]> = [["a": 1]]

    static var keyPathsByKey: [String: AnyKeyPath] {
        ["title": \Poster.title, "scale": \Poster.scale, "isShown": \Poster.isShown, "rows": \Poster.rows]
    }

    func setNilValue(forKey key: String) throws { asked.add("nil for \(key)") }

    func setValue(_ value: Any?, forUndefinedKey key: String) throws { asked.add(key) }
}
