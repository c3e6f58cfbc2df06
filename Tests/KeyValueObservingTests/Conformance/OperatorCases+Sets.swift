// Conformance cases of group 10 where the operators are applied to sets.
import KeyValueCoding
import KeyValueObserving
import Testing

extension OperatorCases {
    private typealias Values = Set<AnyHashable>
    private var ten: Values { Values((0..<10).map { AnyHashable($0) }) }
    private var texts: Values { Values(Specimen.all.map(\.text)) }
    private var numbersOfSpecimens: Values { Values(Specimen.all.map(\.intValue)) }

    @Test("#217 Sum, count, maximum, minimum and average of a set of ten numbers")
    func numbersInSet() throws {
        let set = Set(digits)
        #expect(try read("@sum.testKey", of: set, as: Int.self) == 45)
        #expect(try read("@count", of: set, as: Int.self) == 10)
        #expect(try read("@max.testKey", of: set, as: Int.self) == 9)
        #expect(try read("@min.testKey", of: set, as: Int.self) == 0)
        #expect(try read("@avg.testKey", of: set, as: Double.self) == 4.5)
    }

    @Test("#220 The distinct union of a set of sets holds each of the 10 values")
    func distinctUnionOfSets() throws {
        let sets: Set = [Set(digits), Set(digits[..<5]), Set(digits[5...])]
        #expect(try read("@distinctUnionOfSets.testKey", of: sets, as: Values.self) == ten)
        #expect(try read("@distinctUnionOfSets.testKey", of: Array(sets), as: Values.self) == ten)
        #expect(refusal("@distinctUnionOfSets", of: sets) == .invalidOperator)
        #expect(refusal("@distinctUnionOfSets.testKey", of: [digits]) == .notACollection)
        #expect(refusal("@distinctUnionOfSets.testKey", of: Set(digits)) == .notACollection)
    }

    @Test("#221 The distinct union of a set's objects holds each of the 10 values")
    func distinctUnionOfObjectsInSet() throws {
        #expect(try read("@distinctUnionOfObjects.testKey", of: Set(digits), as: Values.self) == ten)
    }

    @Test("#239 Count, extremes, average and sum of the nine specimens of a set, and of an empty one")
    func numbersOfSetOfSpecimens() throws {
        #expect(try read("@count", of: Specimen.nine, as: Int.self) == 9)
        #expect(try read("@count.x.y", of: Specimen.nine, as: Int.self) == 9)
        #expect(try read("@max.intValue", of: Specimen.nine, as: Int.self) == 127)
        #expect(try read("@min.floatValue", of: Specimen.nine, as: Double.self) == -127)
        #expect(try read("@sum.intValue", of: Specimen.nine, as: Int.self) == 40)
        let sum = try #require(try read("@sum.floatValue", of: Specimen.nine, as: Double.self))
        #expect(abs(sum - 39.51559) < 1e-9)
        #expect(try read("@avg.intValue", of: Specimen.nine, as: Double.self) == 40.0 / 9)

        let empty = Set<Specimen>()
        #expect(try read("@max.intValue", of: empty) == nil)
        #expect(try read("@min.intValue", of: empty) == nil)
        #expect(try read("@avg.intValue", of: empty) == nil)
        #expect(try read("@sum.intValue", of: empty, as: Int.self) == 0)
    }

    @Test("#240 Text has a greatest and a smallest value, and neither sum nor average")
    func textsOfSet() throws {
        #expect(try read("@max.text", of: Specimen.nine, as: String.self) == "true")
        #expect(try read("@min.text", of: Specimen.nine, as: String.self) == "")
        #expect(refusal("@avg.text", of: Specimen.nine) == .typeMismatch)
        #expect(refusal("@sum.text", of: Specimen.nine) == .typeMismatch)
    }

    @Test("#241 On a set too, malformed operators and unknown keys are errors")
    func malformedOnSet() {
        for name in ["@max", "@min", "@avg", "@sum"] {
            #expect(refusal("foo\(name).text", of: Specimen.nine) == .undefinedKey)
            #expect(refusal(name, of: Specimen.nine) == .invalidOperator)
            #expect(refusal("\(name).foobar", of: Specimen.nine) == .undefinedKey)
        }
    }

    @Test("#243 A set refuses the union that keeps equal values")
    func unionOfObjectsOfSet() {
        for path in ["@unionOfObjects", "@unionOfObjects.text", "@unionOfObjects.intValue"] {
            #expect(refusal(path, of: Specimen.nine) == .invalidOperator)
        }
    }

    @Test("#244 The distinct union of a set's objects is a set; sets within it are mapped over")
    func distinctUnionIsSet() throws {
        let union = try read("@distinctUnionOfObjects.intValue", of: Specimen.nine, as: Values.self)
        #expect(union == numbersOfSpecimens && union?.count == 7)
        #expect(try read("@distinctUnionOfObjects.text", of: Specimen.nine, as: Values.self) == texts)
        #expect(refusal("@distinctUnionOfObjects", of: Specimen.nine) == .invalidOperator)
        let nested: Set = [Set(Specimen.all[..<1]), Set(Specimen.all[1..<3]), Set(Specimen.all[3...])]
        let mapped = try read("@distinctUnionOfObjects.text", of: nested, as: Values.self)
        #expect(mapped == Set(nested.map { Set($0.map { AnyHashable($0.text) }) }))
        #expect(mapped?.count == 3)
    }

    @Test("#245 A set of sets and arrays refuses the plain union of arrays, and its distinct union is a set")
    func unionsOfArraysInSet() throws {
        let mixed: Set<AnyHashable> = [Set(Specimen.all[..<4]), Array(Specimen.all[3...])]
        #expect(refusal("@unionOfArrays.intValue", of: mixed) == .invalidOperator)
        #expect(refusal("@unionOfArrays", of: mixed) == .invalidOperator)
        #expect(
            try read("@distinctUnionOfArrays.intValue", of: mixed, as: Values.self) == numbersOfSpecimens)
        #expect(try read("@distinctUnionOfArrays.text", of: mixed, as: Values.self) == texts)
        #expect(refusal("@distinctUnionOfArrays", of: mixed) == .invalidOperator)
    }

    @Test("#248 Without its sign an operator's name is a key, and an empty set maps to an empty set")
    func emptySet() throws {
        for path in ["max.intValue", "min.intValue", "avg.intValue", "sum.intValue"] {
            #expect(try read(path, of: Set<Specimen>(), as: Values.self) == [])
        }
    }

    @Test("#253 The distinct union of an array is an array, that of a set is a set")
    func resultTypes() throws {
        let (array, set) = ([digits, digits], Set([digits]))
        #expect(try read("@distinctUnionOfObjects.testKey", of: digits) is [Any])
        #expect(try read("@distinctUnionOfObjects.testKey", of: Set(digits)) is Values)
        #expect(try read("@distinctUnionOfArrays.testKey", of: array) is [Any])
        #expect(try read("@distinctUnionOfArrays.testKey", of: set) is Values)
        #expect(try read("@distinctUnionOfSets.testKey", of: [Set(digits)]) is Values)
    }
}
