// Key paths that are strings, in the cases that come up seldom: 8.1 to 8.4, 8.7.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("8 Key paths that are strings, in the cases that come up seldom")
struct CodingPathDetailTests {
    private let customer = Customer()

    @Test(
        "8.7 The error for an empty component names the whole key path", arguments: ["office..city", "office.", "age."])
    func emptyComponents(path: String) {
        let errors = [
            codingError { try customer.value(forKeyPath: path) },
            codingError { try customer.setValue(1, forKeyPath: path) },
        ]
        for error in errors { #expect(error?.code == .emptyKeyPath && error?.key == path) }
    }

    @Test("8.5 A dictionary whose keys are not strings has no keys, in reading, setting and validating")
    func otherKeys() {
        customer.anything = [1: 2]
        var value: Any? = 3
        let errors = [
            codingError { try customer.value(forKeyPath: "anything.x") },
            codingError { try customer.setValue(3, forKeyPath: "anything.x") },
            codingError { try customer.validateValue(&value, forKeyPath: "anything.x") },
        ]
        for error in errors { #expect(error?.code == .undefinedKey && error?.key == "x") }
        #expect(customer.anything as? [Int: Int] == [1: 2])
    }

    @Test("8.2 Setting through the elements of an array replaces values and leaves objects where they are")
    func mixedElements() throws {
        let place = Place("old")
        customer.anything = [["city": "old"], place] as [Any]
        try customer.setValue("new", forKeyPath: "anything.city")
        let elements = try #require(customer.anything as? [Any])
        #expect(elements.first as? [String: String] == ["city": "new"])
        #expect(elements.last as? Place === place && place.city == "new")
    }

    @Test("8.2 Setting through objects in an array sets these, and not the array")
    func objectsInArray() throws {
        let (friend, log) = (Customer(), Log())
        customer.friends = [friend]
        let tokens = [
            customer.observe(\.friends) { _, _ in log.add("friends") },
            friend.observe(\.age) { _, _ in log.add("age") },
        ]
        try customer.setValue(5, forKeyPath: "friends.age")
        #expect(log.take() == ["age"] && friend.age == 5)
        withExtendedLifetime(tokens) {}
    }

    @Test("8.5 A set of dictionaries is set through, and stays a set")
    func setOfDictionaries() throws {
        let chart = Chart()
        try chart.setValue(2, forKeyPath: "rows.a")
        #expect(chart.rows == [["a": 2]])
    }

    @Test("8.3 Setting several properties calls a hook once for each")
    func hooksOnce() throws {
        let chart = Chart()
        try chart.setValuesForKeys(["scale": nil, "unknown": 1, "title": "t"])
        #expect(chart.asked.take() == ["nil for scale", "unknown"] && chart.title == "t")
    }

    @Test("8.4 What is hashable and was boxed for that is what it was before")
    func boxedForHashing() throws {
        try customer.setValue(AnyHashable(3), forKey: "weight")
        #expect(customer.weight == 3)
        #expect(codingError { try customer.setValue(AnyHashable(true), forKey: "age") }?.code == .typeMismatch)
    }

    @Test("8.7 A rule about numbers is told only where it is the reason")
    func rules() {
        func sentence(_ value: Any?, _ key: String) -> String {
            codingError { try Chart().setValue(value, forKey: key) }?.description ?? ""
        }
        #expect(sentence("x", "isShown").hasSuffix("was given."))
        #expect(sentence("x", "scale").hasSuffix("was given."))
        #expect(sentence(1, "isShown").hasSuffix("A number is not treated as a Bool."))
        #expect(sentence(0.1, "scale").hasSuffix(", which Float does not hold exactly."))
    }
}

private final class Chart: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    let asked = Questions()
    @Observed var title = ""
    @Observed var scale: Float = 1
    @Observed var isShown = false
    @Observed var rows: Set<[String: Int]> = [["a": 1]]

    static var keyPathsByKey: [String: AnyKeyPath] {
        ["title": \Chart.title, "scale": \Chart.scale, "isShown": \Chart.isShown, "rows": \Chart.rows]
    }

    func setNilValue(forKey key: String) throws { asked.add("nil for \(key)") }

    func setValue(_ value: Any?, forUndefinedKey key: String) throws { asked.add(key) }
}
