// What the errors that the library throws say: semantics 8.7 with 8.3, 8.4, 8.5 and 8.6.
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("Key-value coding: sentences")
struct KeyValueCodingSentenceTests {
    private let customer = Customer()

    private func sentence(_ body: () throws -> Any?) -> String { codingError(body)?.description ?? "no error" }

    @Test("8.7 8.4 A value of another type: the object's type, the key, the type wanted, and the value given")
    func typeMismatch() {
        #expect(
            sentence { try customer.setValue("abc", forKey: "age") }
                == #"Customer has an Int at "age", and "abc" of type String was given."#)
        #expect(
            sentence { try customer.setValue("a\nb", forKey: "points") }
                == #"Customer has an Int or nil at "points", and "a\nb" of type String was given."#)
        #expect(
            sentence { try customer.setValue(256, forKey: "small") }
                == #"Customer has a UInt8 at "small", and 256 of type Int was given, which UInt8 does not hold exactly."#
        )
        #expect(
            sentence { try customer.setValue(true, forKey: "age") }
                == #"Customer has an Int at "age", and true of type Bool was given. A Bool is not treated as a number."#
        )
        #expect(
            sentence { try customer.setValue(1, forKey: "isMember") }
                == #"Customer has a Bool at "isMember", and 1 of type Int was given. A number is not treated as a Bool."#
        )
        #expect(
            sentence { try customer.setValue(AnyHashable(1), forKey: "name") }
                == #"Customer has a String at "name", and 1 of type Int was given."#)
        #expect(
            sentence { try customer.setValue([1, 2], forKey: "name") }
                == #"Customer has a String at "name", and a value of type Array<Int> was given."#)
        #expect(
            sentence { try customer.setValue(customer, forKey: "home") }
                == #"Customer has a Place or nil at "home", and a value of type Customer was given."#)
    }

    @Test("8.7 A long value is cut")
    func longValue() {
        let text = String(repeating: "x", count: 10_000)
        let error = sentence { try customer.setValue(text, forKey: "age") }
        #expect(error.hasPrefix(#"Customer has an Int at "age", and "xxxx"#) && error.count < 140)
        #expect(error.hasSuffix(#"xxx…" of type String was given."#))
    }

    @Test("8.7 8.5 A value of another type in a dictionary or a set on the way")
    func inCollections() {
        customer.anything = ["width": 1]
        #expect(
            sentence { try customer.setValue("x", forKeyPath: "anything.width") }
                == #"Dictionary<String, Int> has an Int at "width", and "x" of type String was given."#)
        #expect(
            sentence { try Bag(NotHashable()).value(forKeyPath: "contents.content") }
                == """
                "content" of the elements of a Set<Bag> gives a set of Hashable values, and one is a value of type \
                NotHashable.
                """)
    }

    @Test("8.7 8.3 Nil where it cannot be: the type and the hook to implement")
    func nilValue() {
        #expect(
            sentence { try customer.setValue(nil, forKey: "age") }
                == """
                Customer has an Int at "age", which cannot be nil. Set a value, or say in setNilValue(forKey:) what nil \
                stands for.
                """)
    }

    @Test("8.7 8.6 An operator says what it needs and what it found, and where it cannot stand")
    func operators() {
        let texts = "anything.@sum.self"
        customer.anything = ["abc"]
        #expect(
            sentence { try customer.value(forKeyPath: texts) }
                == #""@sum.self" of Array<String> needs numbers of types that can be added, and found "abc" of type String."#
        )
        #expect(
            sentence { try customer.value(forKeyPath: "name.@count") }
                == #""@count" needs an array or a set, and was applied to "" of type String."#)
        #expect(
            sentence { try customer.value(forKeyPath: "tags.@max") }
                == #""@max" cannot be applied to Array<String>: it needs a key at its right, such as @max.self."#)
        #expect(
            sentence { try customer.value(forKeyPath: "circle.@unionOfObjects.city") }
                == """
                "@unionOfObjects" cannot be applied to Set<Place>: a set holds no value twice. Use \
                @distinctUnionOfObjects.
                """)
        #expect(
            sentence { try customer.value(forKeyPath: "info.@sum.self") }
                == #""@sum" cannot be applied to Dictionary<String, Any>: of a dictionary only @count can be asked."#)
        #expect(
            sentence { try customer.value(forKeyPath: "tags.@cuont") }
                == #"There is no operator "@cuont" to apply to Array<String>. Did you mean "@count"?"#)
        #expect(
            sentence { try customer.value(forKeyPath: "tags.@frobnicate") }
                .hasPrefix(
                    #"There is no operator "@frobnicate" to apply to Array<String>. The operators are @count, @sum,"#))
        for path in ["tags.@count", "home.@count"] {
            customer.home = Place()
            #expect(
                sentence { try customer.setValue(1, forKeyPath: path) }.contains("what operators give cannot be set"))
        }
    }

    @Test("8.7 A key of something without keys, and a key behind elements that are observed")
    func withoutKeys() {
        #expect(
            sentence { try customer.value(forKeyPath: "name.length") }
                == #"String has no key "length", for it is not a KeyValueCodable class."#)
        #expect(
            sentence { try customer.setValue(1, forKeyPath: "name.length") }
                == #"String has no key "length", for it is not a KeyValueCodable class."#)
        #expect(
            sentence { try customer.observe("friends.age") { _, _ in } }
                == """
                Array<Customer> has no key "age" that can be observed, for a key path is not observed through the \
                elements of a collection. Observe the elements, or an operator such as "@count".
                """)
    }

    @Test("8.7 A view of something that is no array: what is there")
    func views() {
        #expect(
            sentence { try customer.mutableArrayValue(forKey: "age") }
                == #"Customer has an Int at "age", and a view of an array needs an array."#)
    }

    @Test("8.7 A key path where a key is wanted: which calls take it")
    func keyPathAsKey() {
        let expected = #"Customer has no key "home.city". A key has no dots. The calls with forKeyPath take key paths."#
        #expect(sentence { try customer.value(forKey: "home.city") } == expected)
        #expect(sentence { try customer.setValue("Oslo", forKey: "home.city") } == expected)
    }

    @Test("8.7 An empty list of key paths, and an empty component")
    func empty() {
        let controller = KVOController(observer: customer)
        #expect(
            sentence { try controller.observe(customer, keyPaths: [String]()) { _, _, _ in } }
                == "Customer cannot be observed at no key path: the list of key paths is empty.")
        #expect(
            sentence { try customer.value(forKeyPath: "home..city") } == "no error")
        customer.home = Place()
        #expect(
            sentence { try customer.value(forKeyPath: "home..city") }
                == #"The key path "home..city" for Place has an empty component. Name a key between all dots."#)
        var city: Any? = "Oslo"
        #expect(
            sentence { try customer.validateValue(&city, forKeyPath: "home..city") }
                == #"The key path "home..city" for Place has an empty component. Name a key between all dots."#)
    }
}

private struct NotHashable {}

/// Holds itself in a set, with something that a set cannot hold.
private final class Bag: KeyValueCodable, Hashable {
    let keyValueRegistrar = KeyValueRegistrar()
    let content: NotHashable

    init(_ content: NotHashable) { self.content = content }

    var contents: Set<Bag> { [self] }

    static var keyPathsByKey: [String: AnyKeyPath] { ["content": \Bag.content, "contents": \Bag.contents] }

    static func == (left: Bag, right: Bag) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
