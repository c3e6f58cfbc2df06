// Key paths that are strings, with more components than a program writes: section 8.
import KeyValueCoding
import KeyValueObserving
import Testing

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

    @Test("8 A key path of 100,000 components, whatever they are, is an error that says how many there may be")
    func tooLong() async {
        await #expect(processExitsWith: .success) {
            let link = Link()
            link.next = link
            defer { link.next = nil }
            for component in ["next", "@count", "list", "@unionOfObjects", ""] {
                let keyPath = Array(repeating: component, count: 100_000).joined(separator: ".")
                for call in Self.calls {
                    let error = #expect(throws: KeyValueCodingError.self) { try call.run(link, keyPath) }
                    #expect(error?.code == .keyPathTooLong, "\(call.name)")
                    #expect(words("Link", "100000", "1000", "Read it in parts", missingIn: "\(error!)") == [])
                }
                KVOController(observer: link).unobserve(link, keyPath: keyPath)
            }
        }
    }

    @Test("8 6.1 One of 1,000 components is read, set, validated and observed")
    func longest() async {
        await #expect(processExitsWith: .success) {
            let links = (0..<1_000).map { _ in Link() }
            for (link, next) in zip(links, links.dropFirst()) { link.next = next }
            let keyPath = (Array(repeating: "next", count: 999) + ["number"]).joined(separator: ".")
            for call in Self.calls { try call.run(links[0], keyPath) }
            #expect(links[999].number == 1)
            var values: [Any] = []
            let token = try links[0].observe(keyPath, options: .new) { values.append($1.newValue!) }
            links[999].number = 2
            links[500].next = nil
            #expect(values.count == 2 && "\(values[0])" == "2")
            // They would end one inside the other.
            for link in links { link.next = nil }
            withExtendedLifetime(token) {}
        }
    }
}

private final class Link: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var next: Link?
    @Observed var list: [Int] = []

    static var keyPathsByKey: [String: AnyKeyPath] {
        ["number": \Link.number, "next": \Link.next, "list": \Link.list]
    }
}
