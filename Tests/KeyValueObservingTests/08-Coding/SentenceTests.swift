// What the errors of key-value coding say: 8.7 with 8.3 to 8.6.
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("8 Sentences")
struct SentenceTests {
    private let customer = Customer()

    @Test("8.7 A value that does not fit: the object's type, the key, the type wanted, and the value given")
    func values() {
        let long = String(repeating: "x", count: 10_000)
        let rows: [(String, Any?, String)] = [
            ("age", "abc", #"an Int at "age", and "abc" of type String was given."#),
            ("points", "a\nb", #"an Int or nil at "points", and "a\nb" of type String was given."#),
            ("small", 256, #"a UInt8 at "small", and 256 of type Int was given, which UInt8 does not hold exactly."#),
            ("age", true, #"an Int at "age", and true of type Bool was given. A Bool is not treated as a number."#),
            ("isMember", 1, #"a Bool at "isMember", and 1 of type Int was given. A number is not treated as a Bool."#),
            ("name", AnyHashable(1), #"a String at "name", and 1 of type Int was given."#),
            ("name", [1, 2], #"a String at "name", and a value of type Array<Int> was given."#),
            ("home", customer, #"a Place or nil at "home", and a value of type Customer was given."#),
            (
                "age", nil,
                #"an Int at "age", which cannot be nil. Set a value, or say in setNilValue(forKey:) what nil stands for."#
            ),
        ]
        for (key, value, end) in rows {
            let error = codingError { try customer.setValue(value, forKey: key) }
            #expect(error?.description == "Customer has \(end)")
        }
        let text = codingError { try customer.setValue(long, forKey: "age") }?.description ?? ""
        #expect(text.hasSuffix(#"xxx…" of type String was given."#) && text.count < 140)
    }

    @Test("8.7 A key path that leads nowhere: what stands there, what was meant, and what to write instead")
    func keyPaths() {
        customer.anything = ["abc"]
        customer.info = ["sizes": ["width": 1]]
        let (bag, array) = (Bag(), "Array<String>")
        let noKeyPath =
            #"Customer has no key "home.city". A key has no dots. The calls with forKeyPath take key paths."#
        let noLength = #"String has no key "length", for it is not a KeyValueCodable class."#
        let readings = [
            "name.length": noLength,
            "office..city":
                #"The key path "office..city" for Place has an empty component. Name a key between all dots."#,
            "anything.@sum.self":
                #""@sum.self" of \#(array) needs numbers of types that can be added, and found "abc" of type String."#,
            "anything.@unionOfArrays.self":
                #""@unionOfArrays.self" of \#(array) needs arrays or sets, and found "abc" of type String."#,
            "name.@count": #""@count" needs an array or a set, and was applied to "" of type String."#,
            "tags.@max": #""@max" cannot be applied to \#(array): it needs a key at its right, such as @max.self."#,
            "circle.@unionOfObjects.city":
                #""@unionOfObjects" cannot be applied to Set<Place>: a set holds no value twice. Use @distinctUnionOfObjects."#,
            "info.@sum.self":
                #""@sum" cannot be applied to Dictionary<String, Any>: of a dictionary only @count can be asked."#,
            "tags.@cuont": #"There is no operator "@cuont" to apply to \#(array). Did you mean "@count"?"#,
        ]
        for (path, sentence) in readings {
            #expect(codingError { try customer.value(forKeyPath: path) }?.description == sentence)
        }
        let rows: [(() throws -> Any?, String)] = [
            ({ try customer.value(forKey: "home.city") }, noKeyPath),
            ({ try customer.setValue("Oslo", forKey: "home.city") }, noKeyPath),
            ({ try customer.setValue(1, forKeyPath: "name.length") }, noLength),
            (
                { try customer.setValue("x", forKeyPath: "info.sizes.width") },
                #"Dictionary<String, Int> has an Int at "width", and "x" of type String was given."#
            ),
            (
                { try bag.value(forKeyPath: "contents.content") },
                """
                "content" of the elements of a Set<Bag> gives a set of Hashable values, and one is a value of type \
                NotHashable.
                """
            ),
            (
                { try customer.observe("friends.age") { _, _ in } },
                """
                Array<Customer> has no key "age" that can be observed, for a key path is not observed through the \
                elements of a collection. Observe the elements, or an operator such as "@count".
                """
            ),
            (
                { try customer.mutableArrayValue(forKey: "age") },
                #"Customer has an Int at "age", and a view of an array needs an array."#
            ),
            (
                { try KVOController(observer: customer).observe(customer, keyPaths: [String]()) { _, _, _ in } },
                "Customer cannot be observed at no key path: the list of key paths is empty."
            ),
        ]
        for (body, sentence) in rows { #expect(codingError(body)?.description == sentence) }
        let unknown = codingError { try customer.value(forKeyPath: "tags.@frobnicate") }?.description ?? ""
        #expect(
            unknown.hasPrefix(#"There is no operator "@frobnicate" to apply to \#(array). The operators are @count,"#))
        let set = codingError { try customer.setValue(1, forKeyPath: "tags.@count") }?.description ?? ""
        #expect(set.contains("what operators give cannot be set"))
    }

    @Test("8.7 An error that is made by hand has a sentence for each code, with near keys, or with its reason")
    func byHand() {
        typealias Code = KeyValueCodingError.Code
        func sentence(_ code: Code, near: [String] = [], reason: String? = nil) -> String {
            KeyValueCodingError(code: code, key: "age", objectType: Person.self, nearKeys: near, reason: reason)
                .description
        }
        let codes: [Code] = [
            .undefinedKey, .emptyKeyPath, .notWritable, .nilForNonOptional, .typeMismatch, .invalidOperator,
            .notACollection, .invalidValue, .notObservable,
        ]
        #expect(Set(codes.map { sentence($0) }).count == codes.count)
        for code in codes { #expect(words("\"age\"", "Person", missingIn: sentence(code)) == []) }
        let rows = [
            sentence(.undefinedKey): #"Person has no key "age". Only what keyPathsByKey of a class lists is found."#,
            sentence(.undefinedKey, near: ["ago"]): #"Person has no key "age". Did you mean "ago"?"#,
            sentence(.undefinedKey, near: ["a", "b", "c"]):
                #"Person has no key "age". Did you mean "a", "b" or "c"?"#,
            sentence(.invalidValue, reason: "-3 is less than 0"):
                #"Person does not accept the value for "age": -3 is less than 0."#,
            sentence(.invalidValue, reason: ""): #"Person does not accept the value for "age"."#,
            sentence(.typeMismatch): #"The value for "age" of Person has another type than is needed."#,
            sentence(.notWritable):
                """
            "age" of Person can only be read. List a writable key path in keyPathsByKey, or set what it is computed \
            from.
            """,
        ]
        for (found, expected) in rows { #expect(found == expected) }
        #expect(sentence(.notWritable, near: ["ago"], reason: "Why.").hasSuffix(#": Why. Did you mean "ago"?"#))
    }

    @Test("8.7 Errors are equal if they were made with the same arguments; what the library adds is not compared")
    func equality() {
        func error(
            _ code: KeyValueCodingError.Code = .undefinedKey, _ key: String = "age",
            of type: Any.Type = Customer.self, near: [String] = [], reason: String? = nil
        ) -> KeyValueCodingError {
            KeyValueCodingError(code: code, key: key, objectType: type, nearKeys: near, reason: reason)
        }
        let others = [
            error(.notWritable), error(.undefinedKey, "ago"), error(of: Place.self), error(near: ["ago"]),
            error(reason: "a"),
        ]
        for other in others { #expect(other != error() && other == other) }
        let thrown = codingError { try customer.setValue("abc", forKey: "age") }
        #expect(thrown == error(.typeMismatch) && thrown?.hashValue == error(.typeMismatch).hashValue)
        #expect(error().code.description == "undefinedKey" && error(reason: "a").reason == "a")
    }
}

private struct NotHashable {}

/// Holds itself in a set, with something that a set cannot hold.
private final class Bag: KeyValueCodable, Hashable {
    let keyValueRegistrar = KeyValueRegistrar()
    let content = NotHashable()

    var contents: Set<Bag> { [self] }

    static var keyPathsByKey: [String: AnyKeyPath] { ["content": \Bag.content, "contents": \Bag.contents] }

    static func == (left: Bag, right: Bag) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
