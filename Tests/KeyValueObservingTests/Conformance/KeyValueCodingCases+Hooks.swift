// Conformance cases of groups 12 and 13: undefined keys, nil, validation.
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("Conformance 12: undefined keys and nil")
struct UndefinedKeyCases {
    private let customer = Customer()

    @Test("#284 What a class answers for unknown keys is used, for getting and for setting")
    func hooks() throws {
        let object = Accommodating()
        try object.setValue("value", forKey: "Lxcke")
        #expect(try object.value(forKey: "Lxcke") as? String == "value")
    }

    @Test("#285 Setting an unknown key is an error, also at the end of a path")
    func unknown() {
        customer.home = Place()
        #expect(codingError { try customer.setValue(1, forKey: "zzz") }?.summary == "undefinedKey zzz of Customer")
        #expect(
            codingError { try customer.setValue(1, forKeyPath: "home.zzz") }?.summary == "undefinedKey zzz of Place")
    }

    @Test("#290 Nil is set to optionals, and is an error for what cannot be nil; the hook itself always throws")
    func nilValues() throws {
        customer.home = Place()
        customer.points = 1
        customer.anything = 1
        for key in ["home", "points", "anything"] { try customer.setValue(nil, forKey: key) }
        #expect(customer.home == nil && customer.points == nil && customer.anything == nil)
        for key in ["age", "office", "code"] {
            #expect(codingError { try customer.setValue(nil, forKey: key) }?.code == .nilForNonOptional)
        }
        for key in ["home", "age"] {
            #expect(codingError { try customer.setNilValue(forKey: key) }?.code == .nilForNonOptional)
        }
    }

    @Test("#291 Nil in a dictionary removes the key, and one that is absent stays so")
    func nilInDictionary() throws {
        try customer.setValue(nil, forKeyPath: "info.absent")
        #expect(customer.info.isEmpty)
        customer.info = ["array": [1], "string": "s"]
        try customer.setValue(nil, forKeyPath: "info.array")
        try customer.setValue(nil, forKeyPath: "info.string")
        #expect(customer.info.isEmpty)
        #expect(try customer.value(forKeyPath: "info.string") == nil)
    }
}

@Suite("Conformance 13: validation")
struct ValidationCases {
    @Test("#293 A value may be replaced by its class, and what is no value at all is refused")
    func replaced() throws {
        let object = Accommodating()
        var value: Any? = -3
        try object.validateValue(&value, forKey: "count")
        #expect(value as? Int == 0)
        value = nil
        #expect(codingError { try object.validateValue(&value, forKey: "count") }?.code == .invalidValue)
    }

    @Test("#295 Through a key path the object that has the last key validates")
    func keyPath() throws {
        let customer = Customer()
        customer.anything = Accommodating()
        customer.info = ["a": 1]
        var value: Any? = -3
        try customer.validateValue(&value, forKeyPath: "anything.count")
        #expect(value as? Int == 0)
        value = "text"
        #expect(
            codingError { try customer.validateValue(&value, forKeyPath: "anything.count") }?.summary
                == "invalidValue count of Accommodating")
        try customer.validateValue(&value, forKeyPath: "info.a")
        try customer.validateValue(&value, forKeyPath: "home.city")
        try customer.validateValue(&value, forKeyPath: "age")
        #expect(codingError { try customer.validateValue(&value, forKeyPath: "name.x") }?.code == .undefinedKey)
        #expect(codingError { try customer.validateValue(&value, forKeyPath: "tags.@count") }?.code == .invalidOperator)
        #expect(codingError { try customer.validateValue(&value, forKeyPath: "office.") }?.code == .emptyKeyPath)
        #expect(codingError { try customer.validateValue(&value, forKeyPath: "") }?.code == .emptyKeyPath)
        #expect(value as? String == "text")
    }

    @Test("#297 Without validation everything is valid, and setting never validates")
    func neverAutomatic() throws {
        var value: Any? = -3
        try Customer().validateValue(&value, forKey: "age")
        #expect(value as? Int == -3)
        let object = Accommodating()
        try object.setValue(-3, forKey: "count")
        #expect(object.count == -3)
    }
}
