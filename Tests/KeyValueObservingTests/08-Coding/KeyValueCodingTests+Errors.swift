// What the errors of key-value coding say: semantics 8.7.
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("Key-value coding: errors")
struct KeyValueCodingErrorTests {
    @Test("8.7 An error names the type, the key and the keys that resemble it")
    func sentence() {
        let error = KeyValueCodingError(
            code: .undefinedKey, key: "agee", objectType: Person.self, nearKeys: ["age", "name", "tags"])
        #expect(error.objectType == "Person")
        #expect(error.description == #"Person has no key "agee". Did you mean "age", "name" or "tags"?"#)
        let one = KeyValueCodingError(code: .undefinedKey, key: "agee", objectType: Person.self, nearKeys: ["age"])
        #expect(one.description == #"Person has no key "agee". Did you mean "age"?"#)
    }

    @Test("8.7 Each code has a sentence of its own, with the names involved")
    func sentences() {
        let codes: [KeyValueCodingError.Code] = [
            .undefinedKey, .emptyKeyPath, .notWritable, .nilForNonOptional, .typeMismatch, .invalidOperator,
            .notACollection, .invalidValue, .notObservable,
        ]
        let sentences = codes.map { KeyValueCodingError(code: $0, key: "a.b", objectType: Person.self).description }
        #expect(Set(sentences).count == codes.count)
        #expect(sentences.allSatisfy { $0.contains("\"a.b\"") && $0.contains("Person") && $0.hasSuffix(".") })
    }

    @Test("8.7 An operator that cannot work on a value says so")
    func operatorSentence() {
        let error = KeyValueCodingError(code: .typeMismatch, key: "@sum.name", objectType: String.self)
        #expect(error.description.hasPrefix(#""@sum.name" cannot work on a value of type String."#))
    }

    @Test("8.7 The reason that a class gives is in the sentence, whatever the code")
    func reason() {
        let error = KeyValueCodingError(
            code: .invalidValue, key: "age", objectType: Person.self, reason: "-3 is less than 0")
        #expect(error.description == #"Person does not accept the value for "age": -3 is less than 0."#)
        #expect(error.reason == "-3 is less than 0")
        for code: KeyValueCodingError.Code in [.undefinedKey, .typeMismatch, .notWritable, .nilForNonOptional] {
            let error = KeyValueCodingError(
                code: code, key: "age", objectType: Person.self, nearKeys: ["page"], reason: "The reason.")
            #expect(error.description.contains(": The reason. Did you mean \"page\"?"))
        }
        let empty = KeyValueCodingError(code: .invalidValue, key: "age", objectType: Person.self, reason: "")
        #expect(empty.description == #"Person does not accept the value for "age"."#)
    }

    @Test("8.7 Errors are equal if they were made with the same arguments; what the library adds is not compared")
    func equality() {
        let error = KeyValueCodingError(code: .notWritable, key: "isAdult", objectType: Person.self)
        #expect(error == KeyValueCodingError(code: .notWritable, key: "isAdult", objectType: Person.self))
        #expect(error != KeyValueCodingError(code: .undefinedKey, key: "isAdult", objectType: Person.self))
        #expect(error != KeyValueCodingError(code: .notWritable, key: "age", objectType: Person.self))
        #expect(error.code.description == "notWritable")
        let refused = KeyValueCodingError(code: .invalidValue, key: "age", objectType: Person.self, reason: "a")
        #expect(refused == KeyValueCodingError(code: .invalidValue, key: "age", objectType: Person.self, reason: "a"))
        #expect(refused != KeyValueCodingError(code: .invalidValue, key: "age", objectType: Person.self, reason: "b"))
        #expect(
            codingError { try Customer().setValue("abc", forKey: "age") }
                == KeyValueCodingError(code: .typeMismatch, key: "age", objectType: Customer.self))
    }
}
