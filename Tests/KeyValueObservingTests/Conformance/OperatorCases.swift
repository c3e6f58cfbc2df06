// Conformance cases of group 10: operators of key paths, applied to arrays.
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("Conformance 10: operators")
struct OperatorCases {
    let digits: [[String: Int]] = (0..<10).map { ["testKey": $0] }
    let nothings: [[String: Int?]] = .init(repeating: ["testKey": nil], count: 10)

    @Test("#216 Sum, count, maximum, minimum and average of ten numbers (8.6)")
    func numbers() throws {
        #expect(try read("@sum.testKey", of: digits, as: Int.self) == 45)
        #expect(try read("@count", of: digits, as: Int.self) == 10)
        #expect(try read("@max.testKey", of: digits, as: Int.self) == 9)
        #expect(try read("@min.testKey", of: digits, as: Int.self) == 0)
        #expect(try read("@avg.testKey", of: digits, as: Double.self) == 4.5)
    }

    @Test("#219 The union of arrays keeps all 25 values, the distinct one each of the 10 once")
    func unionOfArrays() throws {
        let arrays = [digits, Array(digits[..<5]), digits]
        #expect(try read("@unionOfArrays.testKey", of: arrays, as: [Int].self)?.count == 25)
        #expect(try read("@distinctUnionOfArrays.testKey", of: arrays, as: [Int].self) == Array(0..<10))
    }

    @Test("#224 A nil leaf is left out of a union, as Cocoa does against its documentation")
    func nilInUnion() throws {
        let values: [[String: Int?]] = [["testKey": 1], ["testKey": nil], ["testKey": 1]]
        #expect(try read("@unionOfObjects.testKey", of: values, as: [Int].self) == [1, 1])
        #expect(try read("@distinctUnionOfObjects.testKey", of: values, as: [Int].self) == [1])
        #expect(try read("@unionOfArrays.testKey", of: [values, values], as: [Int].self) == [1, 1, 1, 1])
        #expect(try read("@unionOfArrays.testKey", of: [values, nil], as: [Int].self) == [1, 1])
        #expect(try read("@distinctUnionOfArrays.testKey", of: [values, values], as: [Int].self) == [1])
        let set = Set(values)
        #expect(try read("@distinctUnionOfObjects.testKey", of: set, as: Set<AnyHashable>.self) == [1])
        #expect(try read("@distinctUnionOfSets.testKey", of: [set], as: Set<AnyHashable>.self) == [1])
    }

    @Test("#225 Ten nil leaves: counted, 0 in sum and average, no minimum and no maximum")
    func nilLeaves() throws {
        #expect(try read("@count", of: nothings, as: Int.self) == 10)
        #expect(try read("@avg.testKey", of: nothings, as: Double.self) == 0)
        #expect(try read("@sum.testKey", of: nothings, as: Int.self) == 0)
        #expect(try read("@max.testKey", of: nothings) == nil)
        #expect(try read("@min.testKey", of: nothings) == nil)
    }

    @Test("#227 Operators compose: what stands on the right may have one of its own")
    func composed() throws {
        let small: [[String: Int]] = [["value": 2], ["value": 4]]
        let great: [[String: Int]] = [["value": 8], ["value": 10]]
        let groups: [String: Any] = [
            "testArray": [["value": 10], ["value": 12]],
            "all": [["detailArray": small], ["detailArray": great]],
        ]
        #expect(try read("testArray.@sum.value", of: groups, as: Int.self) == 22)
        #expect(try read("testArray.@count.value", of: groups, as: Int.self) == 2)
        #expect(try read("testArray.@count", of: groups, as: Int.self) == 2)
        #expect(try read("all.@sum.detailArray.@avg.value", of: groups, as: Double.self) == 12)
        #expect(try read("all.@sum.detailArray.@count.value", of: groups, as: Int.self) == 4)
        #expect(try read("all.@sum.detailArray.@count", of: groups, as: Int.self) == 4)
        #expect(try read("all.@max.detailArray.@sum.value", of: groups, as: Int.self) == 18)
    }

    @Test("#228 The count ignores what stands on its right")
    func count() throws {
        #expect(try read("@count", of: Specimen.all, as: Int.self) == 10)
        #expect(try read("@count.should.ignore.right.hand.path", of: Specimen.all, as: Int.self) == 10)
    }

    @Test("#229 Maximum and minimum of numbers, and of nothing")
    func extremes() throws {
        #expect(try read("@max.intValue", of: Specimen.all, as: Int.self) == 127)
        #expect(try read("@max.floatValue", of: Specimen.all, as: Double.self) == 127)
        #expect(try read("@min.intValue", of: Specimen.all, as: Int.self) == -127)
        #expect(try read("@min.floatValue", of: Specimen.all, as: Double.self) == -127)
        #expect(try read("@max.intValue", of: [Specimen]()) == nil)
        #expect(try read("@min.intValue", of: [Specimen]()) == nil)
    }

    @Test("#231 The average is a Double, nil of nothing, and text has none")
    func average() throws {
        #expect(try read("@avg.intValue", of: Specimen.all, as: Double.self) == 8.2)
        let average = try #require(try read("@avg.floatValue", of: Specimen.all, as: Double.self))
        #expect(abs(average - 8.151559) < 1e-9)
        #expect(try read("@avg.intValue", of: [Specimen]()) == nil)
        #expect(refusal("@avg.text", of: Specimen.all) == .typeMismatch)
    }

    @Test("#232 The sum of integers is one, of nothing 0, and text has none")
    func sum() throws {
        #expect(try read("@sum.intValue", of: Specimen.all, as: Int.self) == 82)
        let sum = try #require(try read("@sum.floatValue", of: Specimen.all, as: Double.self))
        #expect(abs(sum - 81.51559) < 1e-9)
        #expect(try read("@sum.intValue", of: [Specimen](), as: Int.self) == 0)
        #expect(refusal("@sum.text", of: Specimen.all) == .typeMismatch)
    }

    @Test("#233 An operator within a key, one without a path, and one before an unknown key are errors")
    func malformed() {
        for name in ["@max", "@min", "@avg", "@sum"] {
            #expect(refusal("foo\(name).text", of: Specimen.all) == .undefinedKey)
            #expect(refusal(name, of: Specimen.all) == .invalidOperator)
            #expect(refusal("\(name).foobar", of: Specimen.all) == .undefinedKey)
        }
    }

    @Test("#235 The distinct union of an array's objects: 7 numbers, 9 texts, in the order they are met")
    func distinctUnionOfObjects() throws {
        #expect(
            try read("@distinctUnionOfObjects.intValue", of: Specimen.all, as: [Int].self)
                == [3, 127, -127, -6, 1, 42, 0])
        #expect(try read("@distinctUnionOfObjects.text", of: Specimen.all, as: [String].self)?.count == 9)
        #expect(try read("@distinctUnionOfObjects.intValue", of: [Specimen](), as: [Int].self) == [])
        #expect(refusal("@distinctUnionOfObjects", of: Specimen.all) == .invalidOperator)
    }

    @Test("#236 The union of arrays goes one level deep: arrays within them are mapped over")
    func unionOfNestedArrays() throws {
        func values(_ numbers: Double...) -> [[String: Double]] { numbers.map { ["value": $0] } }
        let arrays: [[Any]] = [
            [values(1, 2, 42), values(1, 2, 42), ["value": 3.3], values(1, 2, 3)],
            [["value": 4.0], ["value": 5.0], ["value": -23.0]],
        ]
        let union = try #require(try read("@unionOfArrays.value", of: arrays, as: [Any].self))
        #expect(union.count == 7)
        #expect(union.first as? [Double] == [1, 2, 42])
        #expect(refusal("@unionOfArrays", of: arrays) == .invalidOperator)
        #expect(refusal("@unionOfArrays.text", of: Specimen.all) == .notACollection)
        #expect(refusal("@unionOfArrays.self", of: ["text is no collection of keys"]) == .notACollection)
    }

    @Test("#237 The distinct union of arrays keeps the first of equal values, and needs arrays")
    func distinctUnionOfArrays() throws {
        let arrays = [Array(Specimen.all[..<7]), Array(Specimen.all[5...])]
        #expect(
            try read("@distinctUnionOfArrays.floatValue", of: arrays, as: [Double].self)
                == [3.14159, 127, -127, -6.626, 1, 42, 0])
        #expect(try read("@distinctUnionOfArrays.text", of: arrays, as: [String].self)?.count == 9)
        #expect(refusal("@distinctUnionOfArrays", of: arrays) == .invalidOperator)
        #expect(refusal("@distinctUnionOfArrays.text", of: Specimen.all) == .notACollection)
    }
}
