// What a class decides itself: unknown keys, nil, validation. Semantics 8.1, 8.3, 8.7.
import KeyValueCoding
import KeyValueObserving
import TestSupport
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

    @Test("8.7 Validation asks the last object of a key path, whose reason is in the error, with its type and the key")
    func validationOfKeyPath() throws {
        let (company, asked) = (Company(), Log())
        company.chief.asked = asked
        company.asked = asked
        var value: Any? = -3
        let error = codingError { try company.validateValue(&value, forKeyPath: "chief.age") }
        #expect(
            error
                == KeyValueCodingError(
                    code: .invalidValue, key: "age", objectType: Chief.self, reason: "-3 is less than 0"))
        #expect(error?.description == #"Chief does not accept the value for "age": -3 is less than 0."#)
        value = 200
        try company.validateValue(&value, forKeyPath: "chief.age")
        #expect(value as? Int == 150 && company.chief.age == 40)
        #expect(asked.take() == ["Chief age", "Chief age"])
        try company.validateValue(&value, forKeyPath: "chief")
        #expect(asked.take() == ["Company chief"])
    }

    @Test("8.7 A key path that leads to nothing that can be validated throws, whatever its length")
    func validationOfNothing() throws {
        let customer = Customer()
        var value: Any? = 1
        func refusal(_ keyPath: String) -> String? {
            codingError { try customer.validateValue(&value, forKeyPath: keyPath) }?.summary
        }
        #expect(refusal("@count") == "invalidOperator @count of Customer")
        #expect(refusal("tags.@count") == "invalidOperator @count of Customer")
        #expect(refusal("tags.") == "emptyKeyPath tags. of Array<String>")
        #expect(refusal("age.") == "emptyKeyPath age. of Int")
        #expect(refusal("office.") == "emptyKeyPath office. of Customer")
        #expect(refusal("info.") == nil)
    }

    @Test("8.7 Setting asks no validation, by key, by key path, of several, through elements or through a view")
    func neverAutomatic() throws {
        let (company, asked) = (Company(), Log())
        company.chief.asked = asked
        company.asked = asked
        try company.setValue(-3, forKeyPath: "chief.age")
        try company.chief.setValuesForKeys(["age": -4])
        try company.setValue(-5, forKeyPath: "staff.age")
        try company.mutableArrayValue(forKey: "staff").append(Chief())
        #expect(company.chief.age == -5 && asked.take() == [])
    }
}

/// Has objects that validate.
private final class Company: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var chief = Chief()
    @Observed var staff: [Chief] = []
    var asked = Log()

    init() { staff = [chief] }

    static var keyPathsByKey: [String: AnyKeyPath] { ["chief": \Company.chief, "staff": \Company.staff] }

    func validateValue(_ value: inout Any?, forKey key: String) throws { asked.add("Company \(key)") }
}

/// Accepts ages from 0, and cuts them at 150.
private final class Chief: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 40
    var asked = Log()

    static var keyPathsByKey: [String: AnyKeyPath] { ["age": \Chief.age] }

    func validateValue(_ value: inout Any?, forKey key: String) throws {
        asked.add("Chief \(key)")
        guard let age = value as? Int else { return }
        guard age >= 0 else {
            throw KeyValueCodingError(
                code: .invalidValue, key: key, objectType: Chief.self, reason: "\(age) is less than 0")
        }
        value = min(age, 150)
    }
}
