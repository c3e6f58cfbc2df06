// Closures given to a view that change what it views.
import KeyValueObserving
import Testing

@Suite("3.5 Closures that change the array")
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
}
