// Every declaration of the public contract as a user writes it: key-value coding.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

extension PublicContractTests {
    class Order: KeyValueCodable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var price = 0
        @Observed var note: String?
        @Observed var parts: [Order] = []
        @Observed var tags: [String] = []
        @Observed private var secret = 1

        class var keyPathsByKey: [String: AnyKeyPath] {
            [
                "price": \Order.price, "note": \Order.note, "parts": \Order.parts, "tags": \Order.tags,
                "_secret": \Order.secret,
            ]
        }

        init(price: Int = 0) {
            self.price = price
        }
    }
}

@Suite("The public contract: key-value coding")
struct PublicContractCodingTests {
    typealias Order = PublicContractTests.Order

    let order = Order(price: 3)
    let log = Log()

    // #280
    @Test("Key-value coding: values by key and by key path")
    func values() throws {
        order.parts = [Order(price: 1), Order(price: 4)]
        let price: Any? = try order.value(forKey: "price")
        try order.setValue(7, forKey: "price")
        let sum: Any? = try order.value(forKeyPath: "parts.@sum.price")
        try order.setValue("n", forKeyPath: "note")
        #expect(price as? Int == 3 && order.price == 7 && sum as? Int == 5 && order.note == "n")
        let values: [String: Any?] = try order.dictionaryWithValues(forKeys: ["price", "note", "secret"])
        #expect(values.count == 3 && values["secret"] as? Int == 1)
        try order.setValuesForKeys(["price": 9, "note": nil])
        #expect(order.price == 9 && order.note == nil)
    }

    // #290
    @Test("Key-value coding: the hooks' defaults")
    func hooks() throws {
        #expect(Order.accessesStorageDirectly)
        #expect(throws: undefined("x")) { try order.value(forUndefinedKey: "x") }
        #expect(throws: undefined("x")) { try order.setValue(1, forUndefinedKey: "x") }
        #expect(throws: KeyValueCodingError(code: .nilForNonOptional, key: "price", objectType: Order.self)) {
            try order.setNilValue(forKey: "price")
        }
        var value: Any? = 3
        try order.validateValue(&value, forKey: "price")
        #expect(value as? Int == 3)
    }

    private func undefined(_ key: String) -> KeyValueCodingError {
        KeyValueCodingError(code: .undefinedKey, key: key, objectType: Order.self)
    }

    @Test("Key-value coding: a string is observed, with and without the middle arguments")
    func observing() throws {
        let first: KeyValueObservation = try order.observe("price") { (_: Order, _: KeyValueObservedChange<Any>) in
        }
        let second = try order.observe(
            "parts.@count", options: [.old, .new], fileID: "A/B.swift", line: 4,
            changeHandler: { [log] in log.add($1) })
        order.parts = [Order()]
        #expect(log.take() == ["0→1"])
        #expect(order.observationInfo.map(\.keyPath) == ["price", "parts.@count"])
        #expect(order.observationInfo[1].line == 4)
        #expect(throws: KeyValueCodingError.self) { try order.observe("nonsense") { _, _ in } }
        withExtendedLifetime((first, second)) {}
    }

    @Test("Key-value coding: a view of an array by name takes what fits, and traps at what does not")
    func array() async throws {
        let view: ObservedMutableArray<Any> = try order.mutableArrayValue(forKey: "tags")
        let token = order.observe(\.tags, options: .new) { [log] in log.addToMany($1) }
        view.append("x")
        #expect(log.take() == [#"insertion [0] ·→["x"]"#] && view[0] as? String == "x" && view.count == 1)
        withExtendedLifetime(token) {}
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Order().mutableArrayValue(forKey: "tags").append(Order())
        }
        #expect(words("Order", "tags", "String", missingIn: message(of: result)) == [])
    }

    @Test("Key-value coding: an error has a code, a key, a type and near keys, and is Equatable and a sentence")
    func errors() throws {
        let codes: Set<KeyValueCodingError.Code> = [
            .undefinedKey, .emptyKeyPath, .notWritable, .nilForNonOptional, .typeMismatch, .invalidOperator,
            .notACollection, .invalidValue,
        ]
        PublicContractTests.requireSendable(KeyValueCodingError.Code.self)
        #expect(codes.count == 8)
        let error: any Error = KeyValueCodingError(
            code: .invalidValue, key: "price", objectType: Order.self, nearKeys: ["note"])
        let coding = try #require(error as? KeyValueCodingError)
        let (code, key): (KeyValueCodingError.Code, String) = (coding.code, coding.key)
        let (type, near): (String, [String]) = (coding.objectType, coding.nearKeys)
        #expect(code == .invalidValue && key == "price" && type == "Order" && near == ["note"])
        #expect((coding as any CustomStringConvertible).description.contains("Order"))
        #expect(coding == coding && coding != undefined("price"))
        #expect(codingError { try order.value(forKey: "prise") }?.nearKeys == ["price"])
    }
}
