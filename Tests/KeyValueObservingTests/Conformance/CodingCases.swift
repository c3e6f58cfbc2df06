// Cases of other implementations about key-value coding: what 08-Coding does not tell of them. #39 #40 #41 #164 #165 #216
// #219 #220 #237 #249 #280 #301 #305 are told there alone.
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("Conformance: key-value coding")
struct CodingCases {
    private let customer = Customer()

    // MARK: Operators

    /// What a path gives: the members of a set are sorted as text.
    private static func result(_ path: String, of receiver: Any) -> String {
        do {
            let value = try read(path, of: receiver)
            guard let set = value as? Set<AnyHashable> else { return value.map { "\($0)" } ?? "nil" }
            return "{" + set.map { "\($0)" }.sorted().joined(separator: ", ") + "}"
        } catch {
            return (error as? KeyValueCodingError).map { "\($0.code)" } ?? "\(error)"
        }
    }

    private static let gaps: [[String: Int?]] = [["n": 4], ["n": nil], ["n": 2], ["n": 4]]
    private static let ofSpecimens = [
        ("@max.intValue", "127"), ("@min.floatValue", "-127.0"), ("@avg.isFine", "typeMismatch"), ("@max.text", "true"),
        ("@min.text", ""), ("@sum.nothing", "0"), ("@max.nothing", "nil"), ("@sum.foobar", "undefinedKey"),
        ("foo@max.text", "undefinedKey"),
    ]

    /// By the number of the case: what it is applied to, the paths, and what each gives.
    private static let rows: [(String, @Sendable () -> Any, [(String, String)])] = [
        (
            "#223 #251", { ["below": ["n": 1, "m": 2], "a": ["n": 1]] },
            [("@count", "2"), ("@count.n", "2")]
                + operatorsButCount.flatMap { [("\($0).n", "invalidOperator"), ("below.\($0)", "invalidOperator")] }
        ),
        (
            "#224 #252", { gaps },
            [
                ("@count", "4"), ("@sum.n", "10"), ("@avg.n", "2.5"), ("@min.n", "2"), ("@max.n", "4"),
                ("@unionOfObjects.n", "[4, 2, 4]"), ("@distinctUnionOfObjects.n", "[4, 2]"),
            ]
        ),
        ("#224", { [Set(gaps)] }, [("@distinctUnionOfSets.n", "{2, 4}")]),
        (
            "#225", { Array(repeating: ["n": Int?.none], count: 10) },
            [("@count", "10"), ("@avg.n", "0.0"), ("@sum.n", "0"), ("@max.n", "nil"), ("@min.n", "nil")]
        ),
        (
            "#227", { ["all": [["list": [["n": 2], ["n": 4]]], ["list": [["n": 8], ["n": 10]]]]] },
            [("all.@sum.list.@avg.n", "12.0"), ("all.@sum.list.@count", "4"), ("all.@max.list.@sum.n", "18")]
        ),
        (
            "#229 #231 #232", { [Specimen]() },
            [("@max.n", "nil"), ("@avg.n", "nil"), ("@sum.n", "0"), ("@distinctUnionOfObjects.n", "[]")]
        ),
        (
            "#228 #233 #235 #247", { Specimen.all },
            ofSpecimens + operatorsButCount.map { ($0, "invalidOperator") } + [
                ("@count.x.y.z", "10"), ("@avg.intValue", "8.2"), ("@sum.intValue", "82"),
                ("@unionOfArrays.text", "notACollection"),
                ("@distinctUnionOfObjects.intValue", "[3, 127, -127, -6, 1, 42, 0]"),
            ]
        ),
        (
            "#217 #221 #239 #240 #241 #243 #244 #253", { Set(Specimen.all) },
            ofSpecimens + [
                ("@count", "9"), ("@sum.intValue", "40"), ("@unionOfObjects.text", "invalidOperator"),
                ("@distinctUnionOfObjects.intValue", "{-127, -6, 0, 1, 127, 3, 42}"), ("@max", "invalidOperator"),
            ]
        ),
        ("#248", { Set<Specimen>() }, [("@max.n", "nil"), ("@avg.n", "nil"), ("@sum.n", "0"), ("max.n", "{}")]),
        (
            "#236", { [[[["n": 1], ["n": 2]], ["n": 3]], [["n": 4]]] as [[Any]] },
            [("@unionOfArrays.n", "[[Optional(1), Optional(2)], 3, 4]")]
        ),
        (
            "#245", { [Set(Specimen.all[..<4]), Array(Specimen.all[3...])] as Set<AnyHashable> },
            [
                ("@unionOfArrays.intValue", "invalidOperator"),
                ("@distinctUnionOfArrays.intValue", "{-127, -6, 0, 1, 127, 3, 42}"),
            ]
        ),
    ]

    @Test("8.6 What an operator gives, or which error", arguments: rows.indices)
    func operators(index: Int) {
        let (number, receiver, results) = Self.rows[index]
        for (path, result) in results { #expect(Self.result(path, of: receiver()) == result, "\(number) \(path)") }
    }

    // MARK: Getting and setting

    @Test("8.5 #302 #303 #306 Where setting through dictionaries changes something, nothing, or is an error")
    func setting() throws {
        customer.info = ["sub": ["a": 1]]
        let dots = "info" + String(repeating: ".", count: 88)
        for path in ["info.missing.x", "info.schlüssel.x", "info..x", dots] {
            try customer.setValue(5, forKeyPath: path)
            #expect(try customer.value(forKeyPath: path) == nil && customer.info.count == 1)
        }
        for path in ["info.@a", "info.@count", "info.sub.@max", "info.@.x"] {
            #expect(codingError { try customer.setValue(5, forKeyPath: path) }?.code == .invalidOperator, "\(path)")
        }
        try customer.setValue(2, forKeyPath: "info.sub.")
        #expect(customer.info["sub"] as? [String: Int] == ["a": 1, "": 2])
        try customer.setValue(3, forKeyPath: "info.")
        #expect(try customer.value(forKeyPath: "info.") as? Int == 3)
        // What is replaced is not led through any more.
        try customer.setValue("text", forKeyPath: "info.sub")
        #expect(outcome { try customer.value(forKeyPath: "info.sub.a") } == "undefinedKey a of String")
    }

    @Test("8.1 8.2 8.7 #258 #273 #276 #281 #283 Values keep their types, setters transform, hooks answer on the way")
    func values() throws {
        let (range, place, accommodating) = (Range(3...7), Place("Oslo"), Accommodating())
        for (key, value) in [
            ("isMember", true), ("weight", 1.5), ("small", UInt8.max), ("home", place), ("code", 9), ("hidden", true),
            ("frame", Frame(width: 1, height: 2)), ("anything", range),
        ] as [(String, any Equatable)] {
            try customer.setValue(value, forKey: key)
            let read = try #require(try customer.value(forKey: key))
            #expect(type(of: read) == type(of: value) && "\(read)" == "\(value)", "\(key)")
        }
        #expect(try customer.value(forKey: "home") as AnyObject === place)
        #expect(codingError { try customer.setValue(range, forKey: "frame") }?.code == .typeMismatch)
        let values = try customer.dictionaryWithValues(forKeys: ["nickname", "age"])
        #expect(values.count == 2 && values["nickname"].flatMap { $0 } == nil && values["age"] as? Int == 0)
        #expect(codingError { try customer.dictionaryWithValues(forKeys: ["age", "agee"]) }?.code == .undefinedKey)
        customer.anything = accommodating
        try customer.setValue(5, forKeyPath: "anything.whatever")
        #expect(try customer.value(forKeyPath: "anything.whatever") as? Int == 5)
        let shifting = Shifting()
        try shifting.setValue(8, forKey: "number")
        #expect(try shifting.value(forKey: "number") as? Int == 7)
    }
}

/// Has a setter that transforms.
private final class Shifting: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var stored = 0
    var number: Int {
        get { stored }
        set { stored = newValue - 1 }
    }

    static var keyPathsByKey: [String: AnyKeyPath] { ["number": \Shifting.number] }
}
