// Key paths that are strings, read and set, also with more components than a program writes: 8.5, 8.7.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("8 Key paths that are strings")
struct KeyPathTests {
    private let customer = Customer()

    // #278 #298 #299 #301 #305
    @Test("8.5 8.6 8.7 A key path leads through objects, arrays, sets and dictionaries; nil gives nil")
    func reading() {
        defer { customer.letGo() }
        customer.home = Place("Oslo")
        customer.home?.owner = customer
        customer.friends = [Customer(), Customer()]
        customer.friends[0].nickname = "a"
        customer.friends[0].home = Place("Oslo")
        customer.circle = [Place("Rome"), Place("Rome"), Place(nil)]
        customer.circle.first?.owner = customer
        customer.tags = ["x"]
        customer.info = [
            "size": ["width": 4], "@count": "literal", "": ["": 1], "any": [AnyHashable("x"): 2], "numbered": [1: 2],
            "sub": ["list": ["a"], "text": "s", "@count": 0] as [String: Any], "owner": customer,
        ]
        let rows = [
            "age": "0", "home.city": "Oslo", "home.owner.home.city": "Oslo", "office.owner.age": "nil",
            "home.citty": "undefinedKey citty of Place (city)",
            "friends.nickname": #"[Optional("a"), nil]"#, "friends.home.city": #"[Optional("Oslo"), nil]"#,
            "friends.friends.age": "[Optional([]), Optional([])]", "circle.city": #"[AnyHashable("Rome")]"#,
            "circle.owner": "typeMismatch owner of Customer", "tags.length": "undefinedKey length of String",
            "info.size.width": "4", "info.nothing.at.all": "nil", "info.@count": "7", "info..": "1", "info.any.x": "2",
            "info.numbered.1": "undefinedKey 1 of Dictionary<Int, Int>", "tags.@count": "1",
            "info.": #"["": 1]"#, "info..sub": "nil", "info.sub.": "nil", "info.sub.list": #"["a"]"#,
            "info.sub.list.x": "undefinedKey x of String", "info.sub.text.x": "undefinedKey x of String",
            "info.owner.info.owner.info.sub.text": "s", "info.sub.@count": "3",
            "info.@": "invalidOperator @ of Dictionary<String, Any>",
            "": "emptyKeyPath  of Customer", ".": "emptyKeyPath . of Customer", ".age": "emptyKeyPath .age of Customer",
            "home.": "emptyKeyPath home. of Place", "home..city": "emptyKeyPath home..city of Place",
            "office.owner.": "nil", "age.": "emptyKeyPath age. of Int", "tags.": "emptyKeyPath tags. of Array<String>",
            "friends.@count.": "emptyKeyPath friends.@count. of Array<Customer>",
        ]
        for (path, expected) in rows {
            #expect(outcome { try customer.value(forKeyPath: path) } == expected, "\(path)")
        }
        // It holds its owner.
        customer.info = [:]
    }

    // #285 #291
    @Test("8.5 8.2 Setting leads to the last object, to every element, and writes dictionaries back; nil removes a key")
    func setting() {
        let (place, log, kept) = (Place(), Log(), Kept())
        customer.friends = [Customer(), Customer()]
        customer.friends[1].home = Place()
        customer.circle = [Place("a"), Place("b")]
        customer.info = ["size": ["width": 4], "list": [["a": 1], ["a": 2]], "name": "n"]
        customer.anything = [["city": "old"], Place("old")] as [Any]
        customer.observe(\.info) { _, _ in log.add("info") }.store(in: kept)
        customer.observe(\.friends) { _, _ in log.add("friends") }.store(in: kept)
        customer.observe(\.home?.city, options: [.old, .new]) { log.add($1, as: "city") }.store(in: kept)
        let rows: [(String, Any?, String)] = [
            ("home.city", "Rome", "nil"), ("office.city", "Oslo", "Oslo"),
            ("friends.age", 7, "[Optional(7), Optional(7)]"),
            ("friends.home.city", "Oslo", #"[nil, Optional("Oslo")]"#),
            ("circle.city", "c", #"[AnyHashable("c")]"#),
            ("info.list.a", 3, "[Optional(3), Optional(3)]"), ("info.size.width", 5, "5"), ("info.name", nil, "nil"),
            ("info.missing.key", 1, "nil"), ("anything.city", "new", #"[Optional("new"), Optional("new")]"#),
            ("office.city", 1, "typeMismatch city of Place"),
            ("office.citty.x", 1, "undefinedKey citty of Place (city)"),
            ("name.x", 1, "undefinedKey x of String"),
            ("info.size.width", "wide", "typeMismatch width of Dictionary<String, Int>"),
            ("tags.@count", 1, "invalidOperator @count of Array<String>"),
            ("friends.@count.x", 1, "invalidOperator @count of Array<Customer>"),
            ("", 1, "emptyKeyPath  of Customer"), ("office.", 1, "emptyKeyPath office. of Place"),
            ("office..city", 1, "emptyKeyPath office..city of Place"), ("age.", 1, "emptyKeyPath age. of Int"),
        ]
        for (path, value, expected) in rows {
            let told = outcome {
                try customer.setValue(value, forKeyPath: path)
                return try customer.value(forKeyPath: path)
            }
            #expect(told == expected, "\(path)")
        }
        #expect(log.take() == ["info", "info", "info"] && customer.info.count == 2)
        customer.home = place
        #expect(outcome { try customer.setValue("Rome", forKeyPath: "home.city") } == "()")
        #expect(log.take() == ["city nil→nil", "city nil→Rome"])
    }

    @Test("8.5 A set of dictionaries stays a set; a dictionary whose keys are not strings has no keys")
    func dictionaries() throws {
        let poster = Poster()
        try poster.setValue(2, forKeyPath: "rows.a")
        #expect(poster.rows == [["a": 2]])
        customer.anything = [1: 2]
        var value: Any? = 3
        let errors = [
            codingError { try customer.value(forKeyPath: "anything.x") },
            codingError { try customer.setValue(3, forKeyPath: "anything.x") },
            codingError { try customer.validateValue(&value, forKeyPath: "anything.x") },
        ]
        for error in errors { #expect(error?.code == .undefinedKey && error?.key == "x") }
        #expect(customer.anything as? [Int: Int] == [1: 2])
    }
}

@Suite("8 Long key paths")
struct LongKeyPathTests {
    private typealias Call = (name: String, run: (Link, String) throws -> Void)

    private static var calls: [Call] {
        [
            ("value", { _ = try $0.value(forKeyPath: $1) }), ("set", { try $0.setValue(1, forKeyPath: $1) }),
            (
                "validate",
                {
                    var value: Any? = 1
                    try $0.validateValue(&value, forKeyPath: $1)
                }
            ),
            ("observe", { try $0.observe($1) { _, _ in }.invalidate() }),
            ("controller", { try KVOController(observer: $0).observe($0, keyPath: $1) { _, _, _ in } }),
        ]
    }

    @Test("8 6.1 A key path may have 1,000 components; more, whatever they are, are an error that says how many may be")
    func longest() async {
        await #expect(processExitsWith: .success) {
            let link = Link()
            link.next = link
            defer { link.next = nil }
            for component in ["next", "@count", "list", "@unionOfObjects", ""] {
                let count = component == "next" ? 100_000 : 1_001
                let keyPath = Array(repeating: component, count: count).joined(separator: ".")
                for call in Self.calls {
                    let error = #expect(throws: KeyValueCodingError.self) { try call.run(link, keyPath) }
                    #expect(error?.code == .keyPathTooLong, "\(call.name)")
                    #expect(words("Link", "\(count)", "1000", "Read it in parts", missingIn: "\(error!)") == [])
                }
                KVOController(observer: link).unobserve(link, keyPath: keyPath)
            }
            // The longest is read, set, validated and observed.
            let links = (0..<1_000).map { _ in Link() }
            for (link, next) in zip(links, links.dropFirst()) { link.next = next }
            let keyPath = (Array(repeating: "next", count: 999) + ["number"]).joined(separator: ".")
            for call in Self.calls { try call.run(links[0], keyPath) }
            #expect(links[999].number == 1)
            var values: [Any] = []
            try links[0].observe(keyPath, options: .new) { values.append($1.newValue!) }.store(in: .process)
            links[999].number = 2
            links[500].next = nil
            #expect(values.count == 2 && "\(values[0])" == "2")
            // They would end one inside the other.
            for link in links { link.next = nil }
        }
    }
}

private final class Link: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var next: Link?
    @Observed var list: [Int] = []

    static var keyPathsByKey: [String: AnyKeyPath] { ["number": \Link.number, "next": \Link.next, "list": \Link.list] }
}
