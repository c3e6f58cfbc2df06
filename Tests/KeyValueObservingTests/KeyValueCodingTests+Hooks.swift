// What a class decides itself: unknown keys, nil, validation. Semantics 8.1, 8.3, 8.7.
import KeyValueObserving
import Testing

@Suite("Key-value coding: hooks")
struct KeyValueCodingHookTests {
    @Test("8.1 A class answers for its unknown keys, and a subclass otherwise")
    func undefinedKeys() throws {
        let object = Accommodating()
        try object.setValue("x", forKey: "other")
        #expect(try object.value(forKey: "other") as? String == "x")
        #expect(try object.value(forKey: "another") == nil)
        let seen: Accommodating = Strict()
        #expect(try seen.value(forKey: "other") as? String == "strictly no other")
        #expect(try seen.value(forKeyPath: "other") as? String == "strictly no other")
    }

    @Test("8.3 A class takes nil, and a subclass does not")
    func nilValues() throws {
        let object = Accommodating()
        try object.setValue(nil, forKey: "count")
        #expect(object.count == 0)
        let seen: Accommodating = Strict()
        #expect(codingError { try seen.setValue(nil, forKey: "count") }?.code == .nilForNonOptional)
    }

    @Test("8.7 Validation may replace or refuse a value, and is never called by a set")
    func validation() throws {
        let object = Accommodating()
        try object.setValue(-5, forKey: "count")
        #expect(object.count == -5)
        var value: Any? = -5
        try object.validateValue(&value, forKey: "count")
        #expect(value as? Int == 0)
        value = "text"
        #expect(codingError { try object.validateValue(&value, forKey: "count") }?.code == .invalidValue)
        #expect(value as? String == "text")
        try Customer().validateValue(&value, forKey: "no such key")
    }
}
