// Conformance cases of group 14: arrays, dictionaries and sets that are asked for keys.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 14: collections as receivers")
struct KeyValueCodingReceiverCases {
    private let customer = Customer()

    // #278
    @Test("#301 A dictionary is read by any path, the empty key included; what has no keys has none")
    func dictionary() throws {
        // The dictionary holds its owner.
        defer { customer.info = [:] }
        customer.info = ["subdict": ["subarray": ["a"], "string": "s"] as [String: Any], "owner": customer]
        #expect(codingError { try customer.value(forKeyPath: "") }?.code == .emptyKeyPath)
        #expect(try customer.value(forKeyPath: "info.") == nil)
        #expect(try customer.value(forKeyPath: "info.subdict.subarray") as? [String] == ["a"])
        #expect(try customer.value(forKeyPath: "info..subdict") == nil)
        #expect(try customer.value(forKeyPath: "info.subdict.") == nil)
        #expect(try customer.value(forKeyPath: "info.nonexistent.x") == nil)
        #expect(
            codingError { try customer.value(forKeyPath: "info.subdict.subarray.x") }?.summary
                == "undefinedKey x of String")
        #expect(
            codingError { try customer.value(forKeyPath: "info.subdict.string.x") }?.summary
                == "undefinedKey x of String")
        #expect(
            try customer.value(forKeyPath: "info.owner.info.owner.info.subdict.string") as? String == "s")
        customer.info[""] = "empty"
        #expect(try customer.value(forKeyPath: "info.") as? String == "empty")
    }

    @Test("#302 Setting through keys that are not there changes nothing; through an operator it is an error")
    func silent() throws {
        customer.info = ["a": 1]
        let dots = "info" + String(repeating: ".", count: 88)
        for path in ["info.nonexistent.x", "info.schlüssel.x", "info..x", "info...", dots] {
            try customer.setValue(5, forKeyPath: path)
            #expect(try customer.value(forKeyPath: path) == nil)
        }
        #expect(codingError { try customer.setValue(5, forKeyPath: "info.@a") }?.code == .invalidOperator)
        #expect(customer.info.count == 1)
    }

    @Test("#303 A trailing dot sets under the empty key of the last dictionary")
    func lastDot() throws {
        customer.info = ["subdict": ["a": 1]]
        try customer.setValue(2, forKeyPath: "info.subdict.")
        #expect(customer.info["subdict"] as? [String: Int] == ["a": 1, "": 2])
        try customer.setValue(3, forKeyPath: "info.")
        #expect(try customer.value(forKeyPath: "info.") as? Int == 3)
        #expect(codingError { try customer.setValue(1, forKeyPath: "") }?.code == .emptyKeyPath)
    }

    @Test("#305 Keys that begin with @ are operators, whatever the dictionary holds")
    func literalOperators() throws {
        customer.info = ["@count": "literal", "subdict": ["a": 1, "b": 2, "@count": 0]]
        #expect(try customer.value(forKeyPath: "info.@count") as? Int == 2)
        #expect(try customer.value(forKeyPath: "info.subdict.@count") as? Int == 3)
        for path in ["info.@count", "info.subdict.@max"] {
            #expect(codingError { try customer.setValue(5, forKeyPath: path) }?.code == .invalidOperator)
        }
    }

    @Test("#306 A lone @ is no operator; a dictionary may be replaced within itself, and is not led through then")
    func replaced() throws {
        customer.info = ["subdict": ["a": 1]]
        #expect(codingError { try customer.value(forKeyPath: "info.@") }?.code == .invalidOperator)
        #expect(codingError { try customer.setValue(1, forKeyPath: "info.@.x") }?.code == .invalidOperator)
        try customer.setValue("text", forKeyPath: "info.subdict")
        #expect(
            codingError { try customer.value(forKeyPath: "info.subdict.a") }?.summary == "undefinedKey a of String")
    }
}
