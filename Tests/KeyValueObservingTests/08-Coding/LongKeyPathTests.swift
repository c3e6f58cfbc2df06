// Key paths that are strings, with more components than a program writes: section 8.
import Foundation
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("8 Long key paths")
struct LongKeyPathTests {
    enum Call: CaseIterable, Codable, Sendable {
        case value, setValue, validate, observe, observeByController, unobserve

        fileprivate func run(_ link: Link, _ keyPath: String) throws {
            let controller = KVOController(observer: link)
            switch self {
            case .value: _ = try link.value(forKeyPath: keyPath)
            case .setValue: try link.setValue(1, forKeyPath: keyPath)
            case .validate:
                var value: Any? = 1
                try link.validateValue(&value, forKeyPath: keyPath)
            case .observe: try link.observe(keyPath) { _, _ in }.invalidate()
            case .observeByController: try controller.observe(link, keyPath: keyPath) { _, _, _ in }
            case .unobserve: controller.unobserve(link, keyPath: keyPath)
            }
        }
    }

    @Test(
        "8 A key path of 100,000 components, whatever they are, is an error that says how many there may be",
        arguments: Call.allCases, ["next", "@count", "list", "@unionOfObjects", ""])
    func tooLong(call: Call, component: String) async {
        await #expect(processExitsWith: .success) { [call, component] in
            let link = Link()
            link.next = link
            defer { link.next = nil }
            let keyPath = Array(repeating: component, count: 100_000).joined(separator: ".")
            if call == .unobserve { return try call.run(link, keyPath) }
            let error = #expect(throws: KeyValueCodingError.self) { try call.run(link, keyPath) }
            #expect(error?.code == .keyPathTooLong)
            #expect(words("Link", "100000", "1000", "Read it in parts", missingIn: "\(error!)") == [])
        }
    }

    @Test("8 6.1 One of 1,000 components is read, set, validated and observed", arguments: Call.allCases)
    func longest(call: Call) async {
        await #expect(processExitsWith: .success) { [call] in
            let links = (0..<1_000).map { _ in Link() }
            for (link, next) in zip(links, links.dropFirst()) { link.next = next }
            let keyPath = (Array(repeating: "next", count: 999) + ["number"]).joined(separator: ".")
            try call.run(links[0], keyPath)
            if call == .setValue { #expect(links[999].number == 1) }
            if call == .observe {
                var values: [Any] = []
                let token = try links[0].observe(keyPath, options: .new) { values.append($1.newValue!) }
                links[999].number = 2
                #expect(values.map { "\($0)" } == ["2"])
                links[500].next = nil
                #expect(values.count == 2)
                withExtendedLifetime(token) {}
            }
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

    static var keyPathsByKey: [String: AnyKeyPath] {
        ["number": \Link.number, "next": \Link.next, "list": \Link.list]
    }
}
