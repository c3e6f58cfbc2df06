// Closures given to a view that change what it views, or what leads there.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 17.3 Closures of views")
struct ViewClosureTests {
    @Test("3.5 A closure that changes the array that it is asked about traps, and says what to do", arguments: 0..<2)
    func changedInside(call: Int) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [call] in
            let person = Person()
            person.tags = ["d", "b"]
            let view = person.mutable(\.tags)
            func meddle(_ tag: String) -> Bool {
                person.tags.append("z")
                return tag == "b"
            }
            switch call {
            case 0: view.sort { left, _ in meddle(left) }
            default: view.removeAll { meddle($0) }
            }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("A closure changed tags of a Person, which it was asked about."))
    }

    @Test(
        "17.3 P4 A path that the closure of a step leads elsewhere is evaluated when the step ends",
        arguments: [false, true])
    func ledElsewhere(removes: Bool) {
        let (holder, first, second, log) = (Person(), Person(), Person(), Log())
        (first.tags, second.tags) = (["a", "b"], ["z"])
        holder.friend = first
        let token = holder.observe(\.friend?.tags, options: [.old, .new]) { log.add($1) }
        first.mutable(\.tags).removeAll { tag in
            if tag == "a" { holder.friend = second }
            return removes && tag == "a"
        }
        #expect(log.take() == [#"["a", "b"]→["z"]"#])
        second.tags = []
        #expect(log.take() == [#"["z"]→[]"#])
        withExtendedLifetime(token) {}
    }
}
