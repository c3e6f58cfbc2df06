// The operators of key paths: rule 8.6.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("8 Operators of key paths")
struct OperatorTests {
    private static let odd = (1 << 53) + 1

    /// What an operator gives of a collection with its type, or why it gives nothing.
    private func result(_ path: String, of value: Any) -> String {
        outcome { try read(path, of: value).map { "\(type(of: $0)) \($0)" } }
    }

    @Test("8.6 Numbers of all types are summed, averaged and compared by value, without rounding, in any order")
    func numbers() throws {
        let (odd, nan) = (Self.odd, Double.nan)
        let prices = ["0.1", "0.2", "12345678901234567890.12"].compactMap { Decimal(string: $0) }
        let rows: [(String, [Any?], String)] = [
            ("sum", [Int8(100), Int8(100)], "Int 200"), ("sum", [Int8(-1), UInt64(1), Int128(5)], "Int 5"),
            ("sum", [odd, 1], "Int \(odd + 1)"), ("sum", [Int.max, 1], "Int128 \(Int128(Int.max) + 1)"),
            ("sum", [Int.min, -1], "Int128 \(Int128(Int.min) - 1)"), ("sum", [UInt128.max], "UInt128 \(UInt128.max)"),
            ("sum", [Int128.max, 1, -1, Int128.min, UInt128.max, Int128.min], "Int128 \(Int128.max - 1)"),
            ("sum", [UInt128.max, Int128.min, Int128.min, -1], "Int -2"),
            ("sum", [UInt128.max, 1], "typeMismatch"), ("sum", [Int128.min, -1], "typeMismatch"),
            ("avg", [UInt128.max, UInt128.max], "Double \(0x1p128)"), ("avg", [-3, UInt8(1)], "Double -1.0"),
            ("avg", [Int128.min, Int128.min], "Double \(-0x1p127)"),
            ("sum", [Float(0.5), 1.25], "Double 1.75"),
            ("sum", [0.5, Int.max, -Int.max, nil, CGFloat(1)], "Double 1.5"),
            ("avg", [0.5, 1, nil, nil], "Double 0.375"), ("sum", [Double.infinity, 1], "Double inf"),
            ("sum", [nan, 1], "Double nan"), ("sum", prices, "Decimal 12345678901234567890.42"),
            ("sum", prices + [Int.max, nil, -Int.max, UInt8(0)], "Decimal 12345678901234567890.42"),
            ("avg", prices, "Decimal 4115226300411522630.14"), ("avg", [prices[0], nil, 1, 1], "Decimal 0.525"),
            ("sum", [prices[0], 0.5], "typeMismatch"), ("avg", [Decimal.greatestFiniteMagnitude, nil], "typeMismatch"),
            ("avg", [Decimal.nan, 1], "Decimal NaN"), ("sum", [1, true], "typeMismatch"),
            ("max", [odd, 0x1p53, Float(1)], "Int \(odd)"), ("min", [odd, 0x1p53, Float(1)], "Float 1.0"),
            ("max", [Int.max, 0x1p63, UInt64.max, 0x1p64, nil], "Double \(0x1p64)"),
            ("min", [Int.max, 0x1p63, UInt64.max, 0x1p64, nil], "Int \(Int.max)"),
            ("max", [-3, -2.5, UInt8(0), -Double.infinity], "UInt8 0"), ("min", [-3, -2.5, Float(-2.75)], "Int -3"),
            ("min", [-3, -2.5, UInt8(0), -Double.infinity], "Double -inf"),
            ("max", [Decimal(2), 3, UInt8(1)], "Int 3"), ("min", [Decimal(2), 3, UInt8(1)], "UInt8 1"),
            ("max", [Decimal(2), 0.5], "typeMismatch"), ("min", [Decimal(1), 2.0], "typeMismatch"),
            ("max", [nan, 1, 2.5, Float.nan], "Double 2.5"), ("min", [nan, 1, 2.5, Float.nan], "Int 1"),
            ("max", [nan], "Double nan"), ("max", [true], "typeMismatch"), ("min", [true, false], "typeMismatch"),
            ("max", [1, "1"], "typeMismatch"), ("max", [1, true], "typeMismatch"),
            ("max", ["a", "c", "b"], "String c"),
        ]
        for (name, values, expected) in rows {
            for values in [values, values.reversed()] {
                let found = result("@\(name).self", of: values)
                #expect(expected == "typeMismatch" ? found.hasPrefix(expected) : found == expected, "\(name) \(values)")
            }
        }
        for name in ["@min.self", "@max.self"] {
            // Of equal numbers the one met first.
            #expect(result(name, of: [0.0, -0.0]) == "Double 0.0" && result(name, of: [-0.0, 0.0]) == "Double -0.0")
            #expect(
                result(name, of: [3.0, 3] as [Any]) == "Double 3.0" && result(name, of: [3, 3.0] as [Any]) == "Int 3")
        }
        #expect(result("@sum.self", of: 1...4) == "Int 10" && result("@count", of: 1..<4) == "Int 3")
        #expect(result("@avg.self", of: Set<AnyHashable>([1, 2])) == "Double 1.5")
    }

    @Test("8.6 Random integers sum up as wide arithmetic says, and numbers of three types have their extremes")
    func random() throws {
        for _ in 0..<200 {
            let integers = (0..<20).map { _ in Int.random(in: .min ... .max) }
            let sum = integers.reduce(into: Int128(0)) { $0 += Int128($1) }
            let result = try #require(try read("@sum.self", of: integers) as? any BinaryInteger)
            #expect(Int128(result) == sum)
            #expect(try read("@avg.self", of: integers, as: Double.self) == Double(sum) / 20)
            let numbers = (0..<8).map { _ in Int.random(in: -40...40) }
            let values: [Any] = numbers.map { number in
                number % 4 == 0 ? [number / 4, Int8(number / 4)].randomElement()! : Double(number) / 4
            }
            func extreme(_ name: String) throws -> Double? {
                try read(name, of: values).flatMap { ExactNumber.convert($0, to: Double.self) }
            }
            #expect(try extreme("@min.self") == numbers.min().map { Double($0) / 4 })
            #expect(try extreme("@max.self") == numbers.max().map { Double($0) / 4 })
        }
    }

    @Test("8.6 A Decimal average has every digit a Decimal holds, the last one rounded")
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
        #expect(result("@avg.self", of: [Decimal(2), 0, 0]).hasSuffix("67"))
        #expect(result("@avg.self", of: [Decimal(1), 0, 0]).hasSuffix("33"))
    }

    @Test("8.6 A type without fractions has an average only where the division leaves nothing")
    func wholeAverages() throws {
        let tokens = [Tokens(count: 4), Tokens(count: 5)]
        #expect(try read("@sum.self", of: tokens, as: Tokens.self) == Tokens(count: 9))
        #expect(refusal("@avg.self", of: tokens) == .typeMismatch)
        #expect(try read("@avg.self", of: tokens + [Tokens(count: -12)], as: Tokens.self) == Tokens(count: -1))
        #expect(refusal("@avg.self", of: [Tokens(count: 700), 3] as [Any]) == .typeMismatch)
    }

    @Test("8.6 Objects are compared as their common class compares them, and distinguished by identity")
    func objects() throws {
        let ranks = [Rank(2), HighRank(3), Rank(1)]
        #expect(try read("@max.self", of: ranks) as AnyObject? === ranks[1])
        #expect(try read("@min.self", of: ranks) as AnyObject? === ranks[2])
        let (one, other) = (Shelf.Item(), Shelf.Item())
        let union = try read("@distinctUnionOfObjects.self", of: [one, other, one], as: [Shelf.Item].self)
        #expect(union?.map { ObjectIdentifier($0) } == [ObjectIdentifier(one), ObjectIdentifier(other)])
        struct Unhashable {}
        #expect(refusal("@distinctUnionOfObjects.self", of: [Unhashable()]) == .typeMismatch)
        #expect(try read("@distinctUnionOfObjects.self", of: [1, 1.0, true] as [Any], as: [Any].self)?.count == 2)
    }

    @Test("8.6 8.7 Unions join the collections that elements are or have; what is none is an error that names it")
    func unions() throws {
        let firm = Firm([
            Department(["Ann", "Bob"], skills: ["Swift", "C"]), Department(["Bob", "Cy"], skills: ["C"]),
            Department(nil, skills: []),
        ])
        let departments = firm.departments
        let dictionaries: [[String: Any]] = [["staff": ["Ann"]], ["staff": ["Bob", "Ann"]], ["other": 1]]
        let rows: [(String, Any, String)] = [
            ("unionOfArrays.staff", departments, #"["Ann", "Bob", "Bob", "Cy"]"#),
            ("distinctUnionOfArrays.staff", departments, #"["Ann", "Bob", "Cy"]"#),
            ("unionOfArrays.parent.staff", departments, "[]"), ("unionOfArrays.staff", [Department](), "[]"),
            ("unionOfArrays.staff", [departments[0], nil], #"["Ann", "Bob"]"#),
            ("unionOfArrays.staff", dictionaries, #"["Ann", "Bob", "Ann"]"#),
            ("unionOfArrays.first", [departments, [departments[1]]], #"["Ann", "Bob", "Bob"]"#),
            ("unionOfArrays.first", [departments, firm] as [Any], #"["Ann", "Bob", "x", "y"]"#),
            ("unionOfArrays.self", [[1], [1, 2]], "[1, 1, 2]"), ("unionOfArrays.self", [[1, nil], nil], "[1]"),
            ("distinctUnionOfObjects.self", [2, 1, 2], "[2, 1]"),
            ("unionOfArrays.first", departments, "notACollection @unionOfArrays.first of String"),
            ("distinctUnionOfSets.staff", departments, "notACollection @distinctUnionOfSets.staff of Array<String>"),
            ("unionOfArrays.staf", departments, "undefinedKey staf of Department (staff)"),
            ("unionOfArrays.self", [firm], "notACollection @unionOfArrays.self of Firm"),
            ("unionOfArrays.staff", [1, 2], "notACollection @unionOfArrays.staff of Int"),
            ("unionOfArrays.self", [["a": 1]], "notACollection @unionOfArrays.self of Dictionary<String, Int>"),
        ]
        for (path, value, expected) in rows {
            #expect(outcome { try read("@" + path, of: value) } == expected, "\(path)")
        }
        let sets = try read("@distinctUnionOfSets.skills", of: departments, as: Set<AnyHashable>.self)
        #expect(sets == ["Swift", "C"])
        #expect(try read("@distinctUnionOfArrays.staff", of: Set(departments), as: Set<AnyHashable>.self)?.count == 3)
        #expect(try read("@unionOfArrays.skills", of: departments, as: [String].self)?.sorted() == ["C", "C", "Swift"])
    }

    @Test("8.6 What is no collection takes no operator; an unknown or incomplete one is an error that names it")
    func errors() throws {
        for name in ["@count"] + operatorsButCount {
            #expect(refusal("\(name).self", of: 1) == .notACollection)
            #expect(refusal("\(name).self", of: "text") == .notACollection)
        }
        let near = ["@": [], "@foo": [], "@Sum": ["@sum"], "@mix": ["@max", "@min"], "@cuont": ["@count"]]
        for (name, near) in near {
            for path in [name, name + ".self"] {
                let error = codingError { try read(path, of: [1, 2]) }
                #expect(error?.code == .invalidOperator && error?.key == name && error?.objectType == "Array<Int>")
                #expect(error?.nearKeys.sorted() == near)
            }
        }
        #expect(outcome { try read("@sum.text", of: Specimen.all) } == "typeMismatch @sum.text of String")
        #expect(outcome { try read("@sum", of: Specimen.all) } == "invalidOperator @sum of Array<Specimen>")
    }

    @Test("8.6 What an operator computes is observed: elements that come and go, and what is in those that are there")
    func observed() throws {
        let (customer, friend, log, kept) = (Customer(), Customer(), Log(), Kept())
        let firm = Firm([Department(["Ann"], skills: []), Department(["Cy"], skills: [])])
        customer.friends = [friend]
        try customer.observe("friends.@sum.age", options: [.old, .new]) { log.add($1) }.store(in: kept)
        try firm.observe("departments.@distinctUnionOfArrays.staff", options: .new) { log.add($1) }.store(in: kept)
        friend.age = 3
        customer.friends.append(friend)
        firm.departments[1].staff = ["Cy", "Di"]
        firm.departments.removeFirst()
        #expect(log.take() == ["0→3", "3→6", #"·→["Ann", "Cy", "Di"]"#, #"·→["Cy", "Di"]"#])
    }
}

private class Rank: Comparable {
    let level: Int
    init(_ level: Int) { self.level = level }
    static func == (left: Rank, right: Rank) -> Bool { left.level == right.level }
    static func < (left: Rank, right: Rank) -> Bool { left.level < right.level }
}

private final class HighRank: Rank {}

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

private final class Firm: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var departments: [Department]

    init(_ departments: [Department]) { self.departments = departments }

    /// What else is a collection under a key that departments have, too.
    var first: [String] { ["x", "y"] }

    static var keyPathsByKey: [String: AnyKeyPath] { ["departments": \Firm.departments, "first": \Firm.first] }
}

private final class Department: KeyValueCodable, Hashable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var staff: [String]?
    @Observed var skills: Set<String>
    @Observed var parent: Department?

    init(_ staff: [String]?, skills: Set<String>) {
        self.staff = staff
        self.skills = skills
    }

    var first: String? { staff?.first }

    static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "staff": \Department.staff, "skills": \Department.skills, "parent": \Department.parent,
            "first": \Department.first,
        ]
    }

    static func == (left: Department, right: Department) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
