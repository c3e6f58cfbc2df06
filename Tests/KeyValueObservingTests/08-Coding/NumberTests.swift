// Numbers and Bools: exact conversion, and those that Foundation boxes, as they come out of JSON: 8.1 and 8.4.
import Foundation
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("8 Numbers")
struct NumberTests {
    private let settings = Settings()

    /// The names of the types that take a number.
    private func takers(of value: Any) -> String {
        let types: [any Numeric.Type] = [
            Int8.self, UInt8.self, Int16.self, UInt16.self, Int32.self, UInt32.self, Int.self, UInt.self, Int64.self,
            UInt64.self, Int128.self, UInt128.self, Float.self, Double.self, CGFloat.self, Decimal.self,
        ]
        func name<Target: Numeric>(_ target: Target.Type) -> String? {
            ExactNumber.convert(value, to: target).map { _ in "\(target)" }
        }
        return types.compactMap { name($0) }.joined(separator: " ")
    }

    @Test("8.4 A number goes to the types that have it exactly, at every border; Bool, text and nil are no numbers")
    func takers() {
        let signed = "Int Int64 Int128"
        let all = "Int8 UInt8 Int16 UInt16 Int32 UInt32 Int UInt Int64 UInt64 Int128 UInt128"
        let floating = "Float Double CGFloat"
        let integers: [Any] = [
            Int8(100), UInt8(100), Int16(100), UInt16(100), Int32(100), UInt32(100), 100, UInt(100), Int64(100),
            UInt64(100), Int128(100), UInt128(100), Float(100), 100.0, CGFloat(100),
        ]
        for value in integers { #expect(takers(of: value) == "\(all) \(floating) Decimal") }
        let rows: [(Any, String)] = [
            (-1, "Int8 Int16 Int32 \(signed) \(floating) Decimal"),
            (255, "UInt8 Int16 UInt16 Int32 UInt32 Int UInt Int64 UInt64 Int128 UInt128 \(floating) Decimal"),
            (16_777_217, "Int32 UInt32 Int UInt Int64 UInt64 Int128 UInt128 Double CGFloat Decimal"),
            ((1 << 53) + 1, "Int UInt Int64 UInt64 Int128 UInt128 Decimal"),
            (Int.max, "Int UInt Int64 UInt64 Int128 UInt128 Decimal"),
            (0x1p63, "UInt UInt64 Int128 UInt128 \(floating) Decimal"),
            (-0x1p63, "\(signed) \(floating) Decimal"), (UInt64.max, "UInt UInt64 Int128 UInt128 Decimal"),
            (0x1p127, "UInt128 \(floating)"), (-0x1p127, "Int128 \(floating) Decimal"), (0x1p128, "Double CGFloat"),
            (0.5, floating), (Float(2.5), floating), (CGFloat(0.1), "Double CGFloat"), (Float(0.1), floating),
            (Double.leastNonzeroMagnitude, "Double CGFloat"), (Double.infinity, floating), (Double.nan, floating),
            (Decimal(0.5), "Decimal"), (true, ""), ("1", ""), (Int?.none as Any, ""),
        ]
        for (value, names) in rows { #expect(takers(of: value) == names, "\(value)") }
        #expect(
            ExactNumber.convert(-0.0, to: Float.self)?.sign == .minus && ExactNumber.convert(-0.0, to: Int.self) == 0)
        #expect(ExactNumber.convert(1, to: Bool.self) == nil && ExactNumber.convert(1, to: String.self) == nil)
        #if arch(x86_64) && !os(Windows) && !os(Android)
        // Wider than a Double: it does not go through one.
        #expect(ExactNumber.convert(Float80(Int.max), to: Int.self) == Int.max)
        #expect(ExactNumber.convert(Int.max, to: Float80.self) == Float80(Int.max))
        #expect(ExactNumber.convert(Float80(0.5), to: Double.self) == 0.5)
        #expect(ExactNumber.convert(Float80(1) / 3, to: Double.self) == nil)
        #expect(ExactNumber.convert(0.5, to: Float80.self) == 0.5)
        #endif
    }

    @Test("8.4 Random integers convert to Double and back without loss, or not at all")
    func randomIntegers() {
        for _ in 0..<10_000 {
            let integer = Int.random(in: .min ... .max) >> Int.random(in: 0..<64)
            let double = ExactNumber.convert(integer, to: Double.self)
            #expect(double == (Int(exactly: Double(integer)) == integer ? Double(integer) : nil))
        }
    }

    // MARK: Boxes

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

    @Test("8.1 8.4 A value of JSON sets what holds it exactly, Bools only Bools, and is refused by the others")
    func values() throws {
        let refused = "typeMismatch"
        let rows: [(key: String, text: String, result: String)] = [
            ("isOn", "true", "true"), ("isOn", "false", "false"), ("maybe", "true", "true"),
            ("isOn", "0", refused), ("isOn", "1", refused), ("isOn", "1.0", refused), ("maybe", "1.5", refused),
            ("count", "true", refused), ("optional", "false", refused), ("byte", "true", refused),
            ("ratio", "true", refused), ("float", "true", refused), ("big", "true", refused),
            ("decimal", "true", refused), ("width", "true", refused),
            ("count", "7", "7"), ("count", "1e3", "1000"), ("count", "-0.0", "0"), ("count", "1.5", refused),
            ("count", "9007199254740993", "9007199254740993"), ("count", "18446744073709551615", refused),
            ("optional", "7", "7"), ("optional", "0.5", refused),
            ("byte", "127", "127"), ("byte", "128", refused), ("byte", "-128", "-128"), ("byte", "3.0", "3"),
            ("big", "18446744073709551615", "18446744073709551615"), ("big", "-1", refused),
            ("ratio", "7", "7.0"), ("ratio", "0.1", "0.1"), ("ratio", "-0.0", "-0.0"),
            ("ratio", "9007199254740993", refused), ("ratio", "12345678901234567890123", refused),
            ("float", "0.5", "0.5"), ("float", "0.1", refused), ("float", "16777217", refused),
            ("decimal", "7", "7"), ("decimal", "12345678901234567890123", "12345678901234567890123"),
            ("width", "2.5", "2.5"), ("width", "3", "3.0"),
            ("numbers", "[1, 2]", "[1, 2]"), ("numbers", "[1, true]", refused),
            ("flags", "[true, false]", "[true, false]"), ("flags", "[true, 1]", refused),
            ("table", #"{"a": [1]}"#, #"["a": [1]]"#), ("table", #"{"a": [1], "b": [2, true]}"#, refused),
        ]
        for (key, text, result) in rows { #expect(try set(key, text) == result, "\(key) to \(text)") }
    }

    @Test("8.4 Boxes made in a program are as those of JSON, as keys, of several keys at once and through views, too")
    func boxes() throws {
        for number in [NSNumber(value: 1), NSNumber(value: Int8(1)), NSNumber(value: 1.0), NSDecimalNumber(value: 1)] {
            settings.count = 0
            try settings.setValue(number, forKey: "count")
            #expect(settings.count == 1)
            #expect(codingError { try settings.setValue(number, forKey: "isOn") }?.code == .typeMismatch)
        }
        for other in [NSNull(), Settings()] {
            #expect(codingError { try settings.setValue(other, forKey: "count") }?.code == .typeMismatch)
        }
        let (one, yes) = (NSNumber(value: 1), NSNumber(value: true))
        try settings.setValue([one: "a", AnyHashable(2): "c"], forKey: "names")
        #expect(codingError { try settings.setValue([yes: "b"], forKey: "names") }?.code == .typeMismatch)
        #expect(settings.names == [1: "a", 2: "c"])
        try settings.setValuesForKeys(["isOn": yes, "big": NSNumber(value: UInt64.max)])
        #expect(settings.isOn && settings.big == .max)
        try settings.mutableArrayValue(forKey: "numbers").append(json("4"))
        try settings.mutableArrayValue(forKey: "flags").append(json("true"))
        #expect(settings.numbers == [4] && settings.flags == [true])
    }

    @Test("8.7 8.4 An error names a boxed Bool as what it is, and tells what is never converted from what does not fit")
    func sentences() throws {
        let bool = ". A Bool is not treated as a number."
        let rows: [(String, Any, String)] = [
            ("count", try json("true"), #"an Int at "count", and true of type Bool was given\#(bool)"#),
            (
                "isOn", try json("1"),
                #"a Bool at "isOn", and 1 of type NSNumber was given. A number is not treated as a Bool."#
            ),
            ("byte", try json("0.5"), #"and 0.5 of type NSNumber was given, which Int8 does not hold exactly."#),
            ("count", Decimal(5), ". A Decimal is not converted to another type of number."),
            ("decimal", 0.5, ". A Decimal is made of whole numbers only."),
            ("decimal", 1e300, ", which Decimal does not hold exactly."),
            (
                "ratio", NSDecimalNumber(string: "0.5"),
                ". A decimal number is not converted to a floating-point number."
            ),
            ("count", NSDecimalNumber(string: "0.5"), ", which Int does not hold exactly."),
            ("isOn", "x", #"and "x" of type String was given."#), ("float", "x", #"and "x" of type String was given."#),
        ]
        for (key, value, end) in rows {
            let text = codingError { try settings.setValue(value, forKey: key) }?.description ?? ""
            #expect(text.hasPrefix("Settings has ") && text.hasSuffix(end), "\(text)")
        }
    }

    @Test("8.6 Operators compute with the numbers of JSON, and refuse its Bools")
    func operators() throws {
        let orders = try json(
            #"[{"price": 2, "paid": true}, {"price": 1.5, "paid": false}, {"price": 4, "paid": true}]"#)
        #expect(try read("@sum.price", of: orders, as: Double.self) == 7.5)
        #expect(try read("@max.price", of: orders).flatMap { $0 as? Double } == 4)
        #expect(refusal("@sum.paid", of: orders) == .typeMismatch && refusal("@max.paid", of: orders) == .typeMismatch)
        let numbers: [Any] = [try json("1"), 1, UInt8(1), try json("true"), true, try json("2"), 2.0]
        let distinct = try read("@distinctUnionOfObjects.self", of: numbers).flatMap { $0 as? [Any] }
        #expect(distinct?.map { "\($0)" } == ["1", "1", "2"])
        let sets: [Any] = [Set([try json("1") as? NSNumber, try json("2") as? NSNumber]), Set([1, 3])]
        #expect(try read("@distinctUnionOfSets.self", of: sets).flatMap { $0 as? Set<AnyHashable> } == [1, 2, 3])
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
