// The operators @sum and @avg: rule 8.6.
import Foundation
import KeyValueCoding
import KeyValueObserving
import Testing

extension OperatorTests {
    @Test("8.6 Integers of all widths are summed exactly, to an Int if it holds the sum")
    func integerSums() throws {
        #expect(same(try read("@sum.self", of: [Int8(100), Int8(100)]), 200))
        #expect(same(try read("@sum.self", of: [Int8(-1), UInt64(1), Int128(5)] as [Any]), 5))
        #expect(same(try read("@sum.self", of: [(1 << 53) + 1, 1]), (1 << 53) + 2))
        #expect(same(try read("@sum.self", of: [Int.max, 1]), Int128(Int.max) + 1))
        #expect(same(try read("@sum.self", of: [Int.min, -1]), Int128(Int.min) - 1))
        #expect(same(try read("@sum.self", of: [UInt128.max]), UInt128.max))
        for values in bothWays([Int128.max, 1, -1, Int128.min, UInt128.max, Int128.min]) {
            #expect(same(try read("@sum.self", of: values), Int128.max - 1))
        }
        for values in bothWays([UInt128.max, Int128.min, Int128.min, -1]) {
            #expect(same(try read("@sum.self", of: values), -2))
        }
        #expect(refusal("@sum.self", of: [UInt128.max, 1] as [Any]) == .typeMismatch)
        #expect(refusal("@sum.self", of: [Int128.min, -1] as [Any]) == .typeMismatch)
        #expect(try read("@avg.self", of: [UInt128.max, UInt128.max], as: Double.self) == 0x1p128)
        #expect(try read("@avg.self", of: [-3, UInt8(1)] as [Any], as: Double.self) == -1)
    }

    @Test("8.6 Random integers sum up as wide arithmetic says, in any order")
    func randomIntegerSums() throws {
        for _ in 0..<200 {
            let values = (0..<20).map { _ in Int.random(in: .min ... .max) }
            let sum = values.reduce(into: Int128(0)) { $0 += Int128($1) }
            let result = try #require(try read("@sum.self", of: values) as? any BinaryInteger)
            #expect(Int128(result) == sum)
            #expect(try read("@avg.self", of: values, as: Double.self) == Double(sum) / 20)
        }
    }

    @Test("8.6 Floating-point numbers, and integers beside them, sum up to a Double")
    func floatingPointSums() throws {
        #expect(same(try read("@sum.self", of: [Float(0.5), 1.25] as [Any]), 1.75))
        #expect(same(try read("@sum.self", of: [0.5, Int.max, -Int.max, nil, CGFloat(1)] as [Any?]), 1.5))
        #expect(same(try read("@avg.self", of: [0.5, 1, nil, nil] as [Any?]), 0.375))
        #expect(try read("@sum.self", of: [Double.infinity, 1], as: Double.self) == .infinity)
        #expect(try read("@sum.self", of: [Double.nan, 1], as: Double.self)?.isNaN == true)
    }

    @Test("8.6 Decimals are summed and averaged as Decimals, with integers beside them")
    func decimals() throws {
        let prices = ["0.1", "0.2", "12345678901234567890.12"].compactMap { Decimal(string: $0) }
        let sum = try #require(Decimal(string: "12345678901234567890.42"))
        #expect(try read("@sum.self", of: prices, as: Decimal.self) == sum)
        for values in bothWays(prices + [Int.max, nil, -Int.max, UInt8(0)]) {
            #expect(try read("@sum.self", of: values, as: Decimal.self) == sum)
        }
        #expect(try read("@avg.self", of: prices, as: Decimal.self) == Decimal(string: "4115226300411522630.14"))
        let half = try read("@avg.self", of: [prices[0], nil, 1, 1] as [Any?], as: Decimal.self)
        #expect(half == Decimal(string: "0.525"))
        #expect(refusal("@sum.self", of: [prices[0], 0.5] as [Any]) == .typeMismatch)
        #expect(refusal("@sum.self", of: [0.5, prices[0]] as [Any]) == .typeMismatch)
    }

    @Test("8.6 A Decimal average has every digit a Decimal holds")
    func decimalQuotients() throws {
        let numbers = ["1", "2", "-2", "0", "0.001", "1e20", "-1e-30", "123456789.987654321", "1e127"]
        for number in numbers.compactMap({ Decimal(string: $0) }) {
            for count in [1, 2, 3, 4, 7, 8, 10, 16, 125, 999] {
                let values: [Any?] = [number] + Array(repeating: nil, count: count - 1)
                let average = try #require(try read("@avg.self", of: values, as: Decimal.self))
                let expected = number / Decimal(count)
                let difference = average > expected ? average - expected : expected - average
                #expect(difference <= expected.magnitude * Decimal(sign: .plus, exponent: -36, significand: 1))
            }
        }
        let tiny = try #require(Decimal(string: "1e-127"))
        #expect(try read("@avg.self", of: [tiny], as: Decimal.self) == tiny)
        #expect(try read("@avg.self", of: [tiny, tiny], as: Decimal.self) == 0)
        #expect(refusal("@avg.self", of: [Decimal.greatestFiniteMagnitude, nil] as [Any?]) == .typeMismatch)
        #expect(try read("@avg.self", of: [Decimal.nan, 1] as [Any], as: Decimal.self)?.isNaN == true)
    }

    @Test("8.6 A type without fractions has an average only where the division leaves nothing")
    func wholeAverages() throws {
        let tokens = [Tokens(count: 4), Tokens(count: 5)]
        #expect(try read("@sum.self", of: tokens, as: Tokens.self) == Tokens(count: 9))
        #expect(refusal("@avg.self", of: tokens) == .typeMismatch)
        #expect(try read("@avg.self", of: tokens + [Tokens(count: -12)], as: Tokens.self) == Tokens(count: -1))
        #expect(refusal("@avg.self", of: [Tokens(count: 700), 3] as [Any]) == .typeMismatch)
        #expect(try read("@avg.self", of: [Tokens(count: .max), nil, -1], as: Tokens.self) == Tokens(count: .max / 3))
    }
}

/// A number type without fractions, known to nobody.
private struct Tokens: Numeric, Comparable {
    var count: Int
    var magnitude: UInt { count.magnitude }

    init(count: Int) { self.count = count }
    init(integerLiteral value: Int) { count = value }
    init?(exactly source: some BinaryInteger) {
        guard let count = Int(exactly: source) else { return nil }
        self.count = count
    }

    static func < (left: Self, right: Self) -> Bool { left.count < right.count }
    static func + (left: Self, right: Self) -> Self { Self(count: left.count + right.count) }
    static func - (left: Self, right: Self) -> Self { Self(count: left.count - right.count) }
    static func * (left: Self, right: Self) -> Self { Self(count: left.count * right.count) }
    static func *= (left: inout Self, right: Self) { left.count *= right.count }
}
