// The exact conversion of numbers: rule 8.4.
import Foundation
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("Exact numbers")
struct ExactNumberTests {
    private let narrow: [any Numeric.Type] = [
        Int8.self, UInt8.self, Int16.self, UInt16.self, Int32.self, UInt32.self, Float.self,
    ]
    private let wide: [any Numeric.Type] = [
        Int.self, UInt.self, Int64.self, UInt64.self, Int128.self, UInt128.self, Double.self, CGFloat.self,
        Decimal.self,
    ]

    /// What the types above make of a number, as "Int8=1", those that refuse it left out.
    private func taken(_ value: Any, by types: [any Numeric.Type]? = nil) -> [String] {
        func text<Target: Numeric>(_ target: Target.Type) -> String? {
            ExactNumber.convert(value, to: target).map { "\(target)=\($0)" }
        }
        return (types ?? narrow + wide).compactMap { text($0) }
    }

    /// The names of the types that take a number, checking that they all take the same.
    private func takers(of value: Any, as text: [String]) -> String {
        let results = taken(value).map { $0.split(separator: "=") }
        #expect(results.allSatisfy { text.contains(String($0[1])) }, "\(value) became \(results)")
        return results.map { String($0[0]) }.joined(separator: " ")
    }

    @Test("8.4 A whole number goes to every type that has it, from integers and floating-point numbers alike")
    func wholeNumbers() {
        let all = (narrow + wide).map { "\($0)" }.joined(separator: " ")
        let integers: [Any] = [
            Int8(100), UInt8(100), Int16(100), UInt16(100), Int32(100), UInt32(100), 100, UInt(100), Int64(100),
            UInt64(100), Int128(100), UInt128(100), Float(100), 100.0, CGFloat(100),
        ]
        for value in integers { #expect(takers(of: value, as: ["100", "100.0"]) == all) }
    }

    @Test("8.4 A number that does not fit is refused, at every border")
    func borders() {
        #expect(
            takers(of: -1, as: ["-1", "-1.0"])
                == "Int8 Int16 Int32 Float Int Int64 Int128 Double CGFloat Decimal")
        #expect(
            takers(of: 255, as: ["255", "255.0"])
                == "UInt8 Int16 UInt16 Int32 UInt32 Float Int UInt Int64 UInt64 Int128 UInt128 Double CGFloat Decimal")
        #expect(
            takers(of: 16_777_217, as: ["16777217", "16777217.0"])
                == "Int32 UInt32 Int UInt Int64 UInt64 Int128 UInt128 Double CGFloat Decimal")
        #expect(
            takers(of: (1 << 53) + 1, as: ["9007199254740993"])
                == "Int UInt Int64 UInt64 Int128 UInt128 Decimal")
        #expect(takers(of: Int.max, as: ["\(Int.max)"]) == "Int UInt Int64 UInt64 Int128 UInt128 Decimal")
        #expect(takers(of: UInt64.max, as: ["\(UInt64.max)"]) == "UInt UInt64 Int128 UInt128 Decimal")
        #expect(takers(of: Int128.max, as: ["\(Int128.max)"]) == "Int128 UInt128 Decimal")
        #expect(takers(of: UInt128.max, as: ["\(UInt128.max)"]) == "UInt128 Decimal")
        #expect(
            takers(of: 0x1p63, as: ["9223372036854775808", "9.223372e+18", "9.223372036854776e+18"])
                == "Float UInt UInt64 Int128 UInt128 Double CGFloat Decimal")
        #expect(
            takers(of: -0x1p63, as: ["-9223372036854775808", "-9.223372e+18", "-9.223372036854776e+18"])
                == "Float Int Int64 Int128 Double CGFloat Decimal")
        #expect(takers(of: 0x1p128, as: ["3.402823669209385e+38"]) == "Double CGFloat")
    }

    @Test("8.4 A fraction goes to the floating-point types that have it, and to nothing else")
    func fractions() {
        #expect(takers(of: 0.5, as: ["0.5"]) == "Float Double CGFloat")
        #expect(takers(of: Float(2.5), as: ["2.5"]) == "Float Double CGFloat")
        #expect(takers(of: CGFloat(0.1), as: ["0.1"]) == "Double CGFloat")
        #expect(takers(of: Float(0.1), as: ["0.1", "0.10000000149011612"]) == "Float Double CGFloat")
        #expect(takers(of: Double.leastNonzeroMagnitude, as: ["5e-324"]) == "Double CGFloat")
    }

    @Test("8.4 Infinity and NaN stay among floating-point types; negative zero keeps its sign there")
    func specialValues() {
        #expect(takers(of: Double.infinity, as: ["inf"]) == "Float Double CGFloat")
        #expect(takers(of: -Float.infinity, as: ["-inf"]) == "Float Double CGFloat")
        #expect(takers(of: Double.nan, as: ["nan"]) == "Float Double CGFloat")
        #expect(ExactNumber.convert(-0.0, to: Float.self)?.sign == .minus)
        #expect(ExactNumber.convert(-0.0, to: Int8.self) == 0)
        #expect(ExactNumber.convert(-0.0, to: UInt128.self) == 0)
    }

    @Test("8.4 A Decimal takes whole numbers and is itself, and gives nothing away")
    func decimals() throws {
        let tenth = try #require(Decimal(string: "0.1"))
        #expect(taken(tenth) == ["Decimal=0.1"])
        #expect(ExactNumber.convert(tenth, to: Decimal.self) == tenth)
        #expect(ExactNumber.convert(-3.0, to: Decimal.self) == -3)
    }

    @Test("8.4 Bool, text and nil are no numbers, and Bool is no target")
    func notNumbers() {
        #expect(taken(true).isEmpty)
        #expect(taken("1").isEmpty)
        let nothing: Int? = nil
        #expect(taken(nothing as Any).isEmpty)
        #expect(ExactNumber.convert(1, to: Bool.self) == nil)
        #expect(ExactNumber.convert(true, to: Bool.self) == nil)
        #expect(ExactNumber.convert(1, to: String.self) == nil)
    }

    @Test("8.4 A property set by name takes the numbers that its type has, and keeps its value otherwise")
    func setByName() throws {
        let customer = Customer()
        try customer.setValue(255.0, forKey: "small")
        try customer.setValue(Float(0.5), forKey: "weight")
        try customer.setValue(UInt64(7), forKey: "points")
        #expect(customer.small == 255 && customer.weight == 0.5 && customer.points == 7)
        let refused: [(Any, String)] = [
            (256, "small"), (-1.0, "small"), (0.5, "points"), (Double.nan, "points"), ((1 << 53) + 1, "weight"),
            (true, "points"), (1, "isMember"), ("1", "small"),
        ]
        for (value, key) in refused {
            #expect(codingError { try customer.setValue(value, forKey: key) }?.code == .typeMismatch)
        }
        #expect(customer.small == 255 && customer.weight == 0.5 && customer.points == 7)
    }

    @Test("8.4 Random integers convert to Double and back without loss, or not at all")
    func randomIntegers() {
        var converted = 0
        for _ in 0..<10_000 {
            let integer = Int.random(in: .min ... .max) >> Int.random(in: 0..<64)
            guard let double = ExactNumber.convert(integer, to: Double.self) else {
                #expect(Int(exactly: Double(integer)) != integer)
                continue
            }
            converted += 1
            #expect(ExactNumber.convert(double, to: Int.self) == integer)
        }
        #expect(converted > 1_000)
    }

    #if os(Linux) && arch(x86_64)
    @Test("8.4 The narrowest and the widest floating-point type")
    func halfAndExtended() {
        #expect(taken(2_049, by: [Float16.self, Float80.self]) == ["Float80=2049.0"])
        #expect(taken(Int.max, by: [Float16.self, Float80.self]) == ["Float80=9223372036854775807.0"])
        #expect(taken(0.5, by: [Float16.self, Float80.self]) == ["Float16=0.5", "Float80=0.5"])
        #expect(taken(0.1, by: [Float16.self]).isEmpty)
        #expect(taken(Float80(1) / 3, by: wide).isEmpty)
        #expect(taken(Float80.greatestFiniteMagnitude, by: wide).isEmpty)
        #expect(ExactNumber.convert(Float80(0.5), to: Float.self) == 0.5)
        #expect(ExactNumber.convert(Float80.nan, to: CGFloat.self)?.isNaN == true)
    }
    #endif
}
