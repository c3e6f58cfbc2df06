// Conformance cases of group 10 about what operators are applied to, and what they find there.
import KeyValueCoding
import KeyValueObserving
import Testing

extension OperatorCases {
    @Test("#223 A dictionary is counted, and takes no other operator")
    func dictionary() throws {
        let dictionary = ["a": ["testKey": 1], "b": ["testKey": 2]]
        #expect(try read("@count", of: dictionary, as: Int.self) == 2)
        #expect(try read("@count.testKey", of: dictionary, as: Int.self) == 2)
        for name in operatorsButCount { #expect(refusal("\(name).testKey", of: dictionary) == .invalidOperator) }
    }

    @Test("#247 The average of text is an error, from an array and from a set")
    func averageOfText() {
        #expect(refusal("@avg.text", of: Specimen.all) == .typeMismatch)
        #expect(refusal("@avg.text", of: Specimen.nine) == .typeMismatch)
        #expect(refusal("@avg.isFine", of: Specimen.all) == .typeMismatch)
    }

    @Test("#249 Numbers and names of persons")
    func persons() throws {
        let persons: [[String: Any]] = [
            ["name": "Tom", "age": 25], ["name": "Dick", "age": 35], ["name": "Harry", "age": 45],
        ]
        #expect(try read("@avg.age", of: persons, as: Double.self) == 35)
        #expect(try read("@sum.age", of: persons, as: Int.self) == 105)
        #expect(try read("@min.name", of: persons, as: String.self) == "Dick")
        #expect(try read("@max.name", of: persons, as: String.self) == "Tom")
    }

    @Test("#251 On a dictionary a bare operator and one with a path are errors, below one as well")
    func dictionaryWithoutPath() {
        let dictionary = ["subdict": ["a": 1, "b": 2]]
        for name in operatorsButCount {
            #expect(refusal(name, of: dictionary) == .invalidOperator)
            #expect(refusal("subdict.\(name)", of: dictionary) == .invalidOperator)
            #expect(refusal("\(name).intValue", of: dictionary) == .invalidOperator)
        }
    }

    @Test("#252 Count needs no path; nil is 0 in sum and average and nothing to compare")
    func documented() throws {
        let values: [[String: Int?]] = [["n": 4], ["n": nil], ["n": 2], ["n": nil]]
        #expect(try read("@count", of: values, as: Int.self) == 4)
        #expect(try read("@sum.n", of: values, as: Int.self) == 6)
        #expect(try read("@avg.n", of: values, as: Double.self) == 1.5)
        #expect(try read("@min.n", of: values, as: Int.self) == 2)
        #expect(try read("@max.n", of: values, as: Int.self) == 4)
    }
}
