// Numbers and Bools that Foundation boxes, as they come out of JSON: semantics 8.1 and 8.4.
import Foundation
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("Key-value coding: boxed numbers")
struct BoxedNumberTests {
    private let settings = Settings()

    /// What JSON has at a key, as Foundation decodes it.
    private func json(_ text: String) throws -> Any {
        let object = try JSONSerialization.jsonObject(with: Data(#"{"x": \#(text)}"#.utf8))
        return try #require((object as? [String: Any])?["x"])
    }

    /// What a property is after it was set to what JSON has, or the code of the error.
    private func set(_ key: String, _ text: String) throws -> String {
        do {
            try settings.setValue(json(text), forKey: key)
            return try settings.value(forKey: key).map { "\($0)" } ?? "nil"
        } catch let error as KeyValueCodingError {
            return "\(error.code)"
        }
    }

    @Test("8.1 8.4 JSON's true and false set a Bool, and are refused for every number")
    func bools() throws {
        for (text, value) in [("true", true), ("false", false)] {
            #expect(try set("isOn", text) == "\(value)" && settings.isOn == value)
            #expect(try set("maybe", text) == "\(value)" && settings.maybe == value)
            for key in ["count", "optional", "byte", "ratio", "float", "big", "decimal", "width"] {
                #expect(try set(key, text) == "typeMismatch", "\(key)")
            }
        }
    }

    @Test("8.1 8.4 A number of JSON is refused for a Bool, 0 and 1 as well")
    func numbersForBools() throws {
        for text in ["0", "1", "2", "1.0", "0.0", "1.5", "12345678901234567890123"] {
            #expect(try set("isOn", text) == "typeMismatch" && set("maybe", text) == "typeMismatch", "\(text)")
        }
    }

    @Test("8.4 A number of JSON sets each type of number that holds it exactly, and is refused by the others")
    func numbers() throws {
        let cases: [(key: String, text: String, result: String)] = [
            ("count", "7", "7"), ("count", "1e3", "1000"), ("count", "-0.0", "0"), ("count", "1.5", "typeMismatch"),
            ("count", "9007199254740993", "9007199254740993"), ("count", "18446744073709551615", "typeMismatch"),
            ("optional", "7", "7"), ("optional", "0.5", "typeMismatch"),
            ("byte", "127", "127"), ("byte", "128", "typeMismatch"), ("byte", "-128", "-128"),
            ("byte", "3.0", "3"),
            ("big", "18446744073709551615", "18446744073709551615"), ("big", "-1", "typeMismatch"),
            ("ratio", "7", "7.0"), ("ratio", "0.1", "0.1"), ("ratio", "-0.0", "-0.0"),
            ("ratio", "9007199254740993", "typeMismatch"), ("ratio", "12345678901234567890123", "typeMismatch"),
            ("float", "0.5", "0.5"), ("float", "0.1", "typeMismatch"), ("float", "16777217", "typeMismatch"),
            ("decimal", "7", "7"), ("decimal", "12345678901234567890123", "12345678901234567890123"),
            ("width", "2.5", "2.5"), ("width", "3", "3.0"),
        ]
        for (key, text, result) in cases { #expect(try set(key, text) == result, "\(key) to \(text)") }
    }

    @Test("8.4 Boxes made in a program are as those of JSON, whatever type was boxed")
    func boxes() throws {
        for number in [NSNumber(value: 1), NSNumber(value: Int8(1)), NSNumber(value: 1.0), NSDecimalNumber(value: 1)] {
            try settings.setValue(number, forKey: "count")
            #expect(settings.count == 1)
            settings.count = 0
            #expect(codingError { try settings.setValue(number, forKey: "isOn") }?.code == .typeMismatch)
        }
        try settings.setValue(NSNumber(value: true), forKey: "isOn")
        try settings.setValue(NSNumber(value: UInt64.max), forKey: "big")
        try settings.setValue(NSNumber(value: Double.nan), forKey: "ratio")
        #expect(settings.isOn && settings.big == .max && settings.ratio.isNaN)
        #expect(codingError { try settings.setValue(NSNull(), forKey: "count") }?.code == .typeMismatch)
        #expect(codingError { try settings.setValue(Settings(), forKey: "isOn") }?.code == .typeMismatch)
    }

    @Test("8.4 The elements of arrays and the values of dictionaries keep what they are")
    func collections() throws {
        #expect(try set("numbers", "[1, 2]") == "[1, 2]")
        #expect(try set("numbers", "[1, true]") == "typeMismatch")
        #expect(try set("flags", "[true, false]") == "[true, false]")
        #expect(try set("flags", "[true, 1]") == "typeMismatch")
        #expect(try set("table", #"{"a": [1], "b": [2, 3]}"#).hasPrefix("["))
        #expect(settings.table == ["a": [1], "b": [2, 3]])
        #expect(try set("table", #"{"a": [1], "b": [2, true]}"#) == "typeMismatch")
        #expect(settings.table.count == 2 && settings.numbers == [1, 2] && settings.flags == [true, false])
    }

    @Test("8.4 The keys of dictionaries keep what they are")
    func dictionaryKeys() throws {
        let (one, yes) = (NSNumber(value: 1), NSNumber(value: true))
        try settings.setValue([one: "a"], forKey: "names")
        #expect(settings.names == [1: "a"])
        #expect(codingError { try settings.setValue([yes: "b"], forKey: "names") }?.code == .typeMismatch)
        try settings.setValue([AnyHashable(2): "c"], forKey: "names")
        try settings.setValue(["x" as NSString: [one]], forKey: "table")
        #expect(settings.names == [2: "c"] && settings.table == ["x": [1]])
    }

    @Test("8.4 Several keys at once, a dictionary on the way and a view by name take them, too")
    func otherWays() throws {
        let values = try #require(json(#"{"count": 3, "isOn": true, "ratio": 0.25}"#) as? [String: Any])
        try settings.setValuesForKeys(values)
        #expect(settings.count == 3 && settings.isOn && settings.ratio == 0.25)
        let wrong = try #require(json(#"{"count": true, "ratio": 1}"#) as? [String: Any])
        #expect(codingError { try settings.setValuesForKeys(wrong) }?.key == "count")
        try settings.mutableArrayValue(forKey: "numbers").append(json("4"))
        try settings.mutableArrayValue(forKey: "flags").append(json("true"))
        #expect(settings.numbers == [4] && settings.flags == [true])
    }

    @Test("8.6 Operators compute with the numbers of JSON, and refuse its Bools")
    func operators() throws {
        let orders = try json(
            #"[{"price": 2, "paid": true}, {"price": 1.5, "paid": false}, {"price": 4, "paid": true}]"#)
        #expect(try read("@sum.price", of: orders, as: Double.self) == 7.5)
        #expect(try read("@avg.price", of: orders, as: Double.self) == 2.5)
        #expect(try read("@max.price", of: orders).flatMap { $0 as? Double } == 4)
        #expect(try read("@min.price", of: orders).flatMap { $0 as? Double } == 1.5)
        #expect(try read("@sum.self", of: json("[1, 2, 3]"), as: Int.self) == 6)
        #expect(refusal("@sum.paid", of: orders) == .typeMismatch)
        #expect(refusal("@max.paid", of: orders) == .typeMismatch)
    }

    @Test("8.6 Distinct unions take a boxed number for the number it holds, and no Bool for a number")
    func distinctUnions() throws {
        let numbers: [Any] = [try json("1"), 1, UInt8(1), try json("true"), true, try json("2"), 2.0]
        let distinct = try read("@distinctUnionOfObjects.self", of: numbers).flatMap { $0 as? [Any] }
        #expect(distinct?.map { "\($0)" } == ["1", "1", "2"])
        let joined = try read("@distinctUnionOfArrays.self", of: [numbers, numbers])
        #expect((joined as? [Any])?.count == 3)
        let sets: [Any] = [Set([try json("1") as? NSNumber, try json("2") as? NSNumber]), Set([1, 3])]
        #expect(try read("@distinctUnionOfSets.self", of: sets).flatMap { $0 as? Set<AnyHashable> } == [1, 2, 3])
    }

    @Test("8.7 An error names a boxed Bool as what it is")
    func sentences() throws {
        let (yes, one) = (try json("true"), try json("1"))
        #expect(
            codingError { try settings.setValue(yes, forKey: "count") }?.description
                == #"Settings has an Int at "count", and true of type Bool was given. A Bool is not treated as a number."#
        )
        #expect(
            codingError { try settings.setValue(one, forKey: "isOn") }?.description
                == #"Settings has a Bool at "isOn", and 1 of type NSNumber was given. A number is not treated as a Bool."#
        )
        let half = try json("0.5")
        #expect(
            codingError { try settings.setValue(half, forKey: "byte") }?.description
                == #"Settings has an Int8 at "byte", and 0.5 of type NSNumber was given, which Int8 does not hold exactly."#
        )
    }

    @Test("8.7 8.4 An error tells numbers that are never converted from those that do not fit")
    func unconverted() throws {
        func reason(_ key: String, _ value: Any) -> String? {
            codingError { try settings.setValue(value, forKey: key) }?.description
                .split(separator: " was given", maxSplits: 1).last.map(String.init)
        }
        #expect(reason("count", Decimal(5)) == ". A Decimal is not converted to another type of number.")
        #expect(reason("decimal", 0.5) == ". A Decimal is made of whole numbers only.")
        #expect(reason("decimal", NSNumber(value: 0.5)) == ". A Decimal is made of whole numbers only.")
        #expect(reason("decimal", 1e300) == ", which Decimal does not hold exactly.")
        let half = NSDecimalNumber(string: "0.5")
        #expect(reason("ratio", half) == ". A decimal number is not converted to a floating-point number.")
        #expect(reason("count", half) == ", which Int does not hold exactly.")
    }
}

/// Has a property of each type of number.
private final class Settings: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var isOn = false
    @Observed var maybe: Bool?
    @Observed var count = 0
    @Observed var optional: Int?
    @Observed var byte: Int8 = 0
    @Observed var big: UInt64 = 0
    @Observed var ratio = 0.0
    @Observed var float: Float = 0
    @Observed var decimal: Decimal = 0
    @Observed var width: CGFloat = 0
    @Observed var numbers: [Int] = []
    @Observed var flags: [Bool] = []
    @Observed var table: [String: [Int]] = [:]
    @Observed var names: [Int: String] = [:]

    static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "isOn": \Settings.isOn, "maybe": \Settings.maybe, "count": \Settings.count,
            "optional": \Settings.optional, "byte": \Settings.byte, "big": \Settings.big, "ratio": \Settings.ratio,
            "float": \Settings.float, "decimal": \Settings.decimal, "width": \Settings.width,
            "numbers": \Settings.numbers, "flags": \Settings.flags, "table": \Settings.table,
            "names": \Settings.names,
        ]
    }
}
