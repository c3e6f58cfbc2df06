// Accesses in place that throw, through views by name: 2.6 and 8.2.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("8.2 2.6 Accesses in place that throw")
struct ThrowingAccessTests {
    private struct Failure: Error {}

    @Test("8.2 2.6 What an access through a view by name changed before it threw is changed")
    func throwing() throws {
        let (box, log) = (Box(), Log())
        let token = box.observe(\.texts, options: [.old, .new]) { log.add($1) }
        let view = try box.mutableArrayValue(forKey: "texts")
        func change(_ texts: inout [Any]) throws {
            texts.append("b")
            throw Failure()
        }
        #expect(throws: Failure.self) { try change(&view.value) }
        #expect(box.texts == ["a", "b"] && view.count == 2)
        #expect(log.take() == [#"["a"]→["a", "b"]"#])
        withExtendedLifetime(token) {}
    }
}

private final class Box: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var texts = ["a"]

    static var keyPathsByKey: [String: AnyKeyPath] { ["texts": \Box.texts] }
}
