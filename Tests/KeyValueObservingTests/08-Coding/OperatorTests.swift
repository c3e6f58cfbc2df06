// The operators of key paths: rule 8.6.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Operators of key paths")
struct OperatorTests {
    func same(_ left: Any?, _ right: Any?) -> Bool { String(reflecting: left) == String(reflecting: right) }

    /// Arrays of two orders, for results that may not depend on it.
    func bothWays(_ values: [Any?]) -> [[Any?]] { [values, values.reversed()] }

    @Test("8.6 self is the element, so that plain numbers and texts can be asked too")
    func elements() throws {
        #expect(try read("@sum.self", of: [1, 2, 3], as: Int.self) == 6)
        #expect(try read("@max.self", of: ["a", "c", "b"], as: String.self) == "c")
        #expect(try read("@distinctUnionOfObjects.self", of: [2, 1, 2], as: [Int].self) == [2, 1])
        #expect(try read("@unionOfArrays.self", of: [[1], [1, 2]], as: [Int].self) == [1, 1, 2])
        #expect(try read("@sum.self", of: 1...4, as: Int.self) == 10)
        #expect(try read("@count", of: 1..<4, as: Int.self) == 3)
        #expect(try read("@avg.self", of: Set<AnyHashable>([1, 2]), as: Double.self) == 1.5)
    }

    @Test("8.6 Numbers of different types are compared by value, without rounding")
    func mixedExtremes() throws {
        let odd = (1 << 53) + 1
        for values in bothWays([odd, 0x1p53, Float(1)]) {
            #expect(same(try read("@max.self", of: values), odd))
            #expect(same(try read("@min.self", of: values), Float(1)))
        }
        for values in bothWays([Int.max, 0x1p63, UInt64.max, 0x1p64, nil]) {
            #expect(same(try read("@max.self", of: values), 0x1p64))
            #expect(same(try read("@min.self", of: values), Int.max))
        }
        for values in bothWays([-3, -2.5, UInt8(0), -Double.infinity]) {
            #expect(same(try read("@max.self", of: values), UInt8(0)))
            #expect(same(try read("@min.self", of: values), -Double.infinity))
        }
        for values in bothWays([-3, -2.5, Float(-2.75)]) { #expect(same(try read("@min.self", of: values), -3)) }
        for values in bothWays([Decimal(2), 3, UInt8(1)]) {
            #expect(same(try read("@max.self", of: values), 3))
            #expect(same(try read("@min.self", of: values), UInt8(1)))
        }
        #expect(refusal("@max.self", of: [Decimal(2), 0.5] as [Any]) == .typeMismatch)
    }

    @Test("8.6 Random numbers of three types have the extremes of their values")
    func randomExtremes() throws {
        for _ in 0..<500 {
            let numbers = (0..<8).map { _ in Int.random(in: -40...40) }
            let values: [Any] = numbers.map { number in
                number % 4 == 0 ? [number / 4, Int8(number / 4)].randomElement()! : Double(number) / 4
            }
            let least = try read("@min.self", of: values).flatMap { ExactNumber.convert($0, to: Double.self) }
            let greatest = try read("@max.self", of: values).flatMap { ExactNumber.convert($0, to: Double.self) }
            #expect(least == numbers.min().map { Double($0) / 4 })
            #expect(greatest == numbers.max().map { Double($0) / 4 })
        }
    }

    @Test("8.6 NaN is the least and the greatest only of itself")
    func notANumber() throws {
        for values in bothWays([Double.nan, 1, 2.5, Float.nan]) {
            #expect(same(try read("@max.self", of: values), 2.5))
            #expect(same(try read("@min.self", of: values), 1))
        }
        #expect(try read("@max.self", of: [Double.nan], as: Double.self)?.isNaN == true)
    }

    @Test("8.6 Values without an order, or of different types, have no extremes")
    func withoutOrder() {
        #expect(refusal("@max.self", of: [true]) == .typeMismatch)
        #expect(refusal("@min.self", of: [true, false]) == .typeMismatch)
        #expect(refusal("@max.self", of: [1, "1"] as [Any]) == .typeMismatch)
        #expect(refusal("@max.self", of: ["1", 1] as [Any]) == .typeMismatch)
        #expect(refusal("@max.self", of: [1, true] as [Any]) == .typeMismatch)
        #expect(refusal("@sum.self", of: [1, true] as [Any]) == .typeMismatch)
    }

    @Test("8.6 Objects are compared as their common class compares them")
    func comparableObjects() throws {
        let ranks = [Rank(2), HighRank(3), Rank(1)]
        #expect(try read("@max.self", of: ranks) as AnyObject? === ranks[1])
        #expect(try read("@min.self", of: ranks) as AnyObject? === ranks[2])
        #expect(try read("@min.self", of: Array(ranks[..<2])) as AnyObject? === ranks[0])
    }

    @Test(
        "8.6 Values that cannot be hashed have no distinct union, except objects, which are distinguished by identity")
    func distinctObjects() throws {
        let (one, other) = (Shelf.Item(), Shelf.Item())
        let union = try read("@distinctUnionOfObjects.self", of: [one, other, one], as: [Shelf.Item].self)
        #expect(union?.map { ObjectIdentifier($0) } == [ObjectIdentifier(one), ObjectIdentifier(other)])
        #expect(refusal("@distinctUnionOfObjects.self", of: [Unhashable()]) == .typeMismatch)
        #expect(refusal("@distinctUnionOfObjects.item", of: Set([["item": ObjectIdentifier(one)]])) == nil)
        #expect(try read("@distinctUnionOfObjects.self", of: [1, 1.0, true] as [Any], as: [Any].self)?.count == 2)
    }

    @Test("8.6 What is no collection takes no operator, and text is none")
    func notCollections() {
        for name in ["@count"] + operatorsButCount {
            #expect(refusal("\(name).self", of: 1) == .notACollection)
            #expect(refusal("\(name).self", of: "text") == .notACollection)
        }
        #expect(refusal("@unionOfArrays.self", of: [["a": 1]]) == .notACollection)
        #expect(refusal("@distinctUnionOfSets.self", of: [[1]]) == .notACollection)
    }

    @Test(
        "8.6 An unknown or incomplete operator is an error that names it and what resembles it",
        arguments: [("@", []), ("@foo", []), ("@Sum", ["@sum"]), ("@mix", ["@min", "@max"]), ("@cuont", ["@count"])])
    func unknown(name: String, near: [String]) throws {
        for path in [name, name + ".self"] {
            let error = #expect(throws: KeyValueCodingError.self) { try read(path, of: [1, 2]) }
            #expect(error?.code == .invalidOperator && error?.key == name && error?.objectType == "Array<Int>")
            #expect(error?.nearKeys.sorted() == near.sorted())
        }
    }

    @Test("8.6 What an operator computes is observed: elements that come, and values of those that are there")
    func observed() throws {
        let (customer, friend, log) = (Customer(), Customer(), Log())
        customer.friends = [friend]
        let token = try customer.observe("friends.@sum.age", options: [.old, .new]) { log.add($1) }
        friend.age = 3
        customer.friends.append(friend)
        #expect(log.take() == ["0→3", "3→6"])
        withExtendedLifetime(token) {}
    }

    @Test("8.6 Errors name the operator, its path and the type that does not fit")
    func errors() throws {
        let error = #expect(throws: KeyValueCodingError.self) { try read("@sum.text", of: Specimen.all) }
        #expect(error == KeyValueCodingError(code: .typeMismatch, key: "@sum.text", objectType: String.self))
        let bare = #expect(throws: KeyValueCodingError.self) { try read("@sum", of: Specimen.all) }
        #expect(bare == KeyValueCodingError(code: .invalidOperator, key: "@sum", objectType: [Specimen].self))
    }
}

private struct Unhashable {}

private class Rank: Comparable {
    let level: Int
    init(_ level: Int) { self.level = level }
    static func == (left: Rank, right: Rank) -> Bool { left.level == right.level }
    static func < (left: Rank, right: Rank) -> Bool { left.level < right.level }
}

private final class HighRank: Rank {}
