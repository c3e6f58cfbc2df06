// Positions far out of range trap with the sentence, not with an overflow: 7.3.
import KeyValueObserving
import Testing

@Suite("7.3 Positions far out of range")
struct ViewRangeTests {
    private static let calls: [(name: String, call: @Sendable (ObservedMutableArray<String>) -> Void)] = [
        ("insert", { $0.insert("x", at: Int.max) }),
        ("insert, negative", { $0.insert("x", at: Int.min) }),
        ("insert several", { $0.insert(contentsOf: ["x", "y"], at: Int.max) }),
        ("insert several, negative", { $0.insert(contentsOf: ["x", "y"], at: Int.min) }),
        ("insert at positions", { $0.insert(contentsOf: ["x"], at: RangeSet(Int.max - 1..<Int.max)) }),
        ("remove", { $0.remove(at: Int.max) }),
        ("remove, negative", { $0.remove(at: Int.min) }),
        ("remove at positions", { $0.removeSubranges(RangeSet(Int.max - 1..<Int.max)) }),
        ("remove at all positions", { $0.removeSubranges(RangeSet(0..<Int.max)) }),
        ("removeFirst", { $0.removeFirst(Int.max) }),
        ("removeFirst, negative", { $0.removeFirst(Int.min) }),
        ("removeLast", { $0.removeLast(Int.max) }),
        ("removeLast, negative", { $0.removeLast(Int.min) }),
        ("removeSubrange", { $0.removeSubrange(1..<Int.max) }),
        ("removeSubrange, behind", { $0.removeSubrange(5..<6) }),
        ("removeSubrange, empty behind", { $0.removeSubrange(Int.max..<Int.max) }),
        ("removeSubrange, negative", { $0.removeSubrange(Int.min..<2) }),
        ("removeSubrange, open", { $0.removeSubrange(9...) }),
        ("replaceSubrange", { $0.replaceSubrange(0..<Int.max, with: ["x"]) }),
        ("replaceSubrange, empty behind", { $0.replaceSubrange(Int.max..<Int.max, with: ["x"]) }),
        ("replace at positions", { $0.replaceSubranges(RangeSet(Int.max - 1..<Int.max), with: ["x"]) }),
        ("swapAt", { $0.swapAt(Int.max, 0) }),
        ("swapAt, negative", { $0.swapAt(0, Int.min) }),
        ("move", { $0.moveSubranges(RangeSet(0..<1), to: Int.max) }),
        ("move, negative", { $0.moveSubranges(RangeSet(0..<1), to: Int.min) }),
        ("move from behind", { $0.moveSubranges(RangeSet(Int.max - 1..<Int.max), to: 0) }),
        ("remove at more positions than there are integers", { $0.removeSubranges(RangeSet(Int.min..<Int.max)) }),
        ("move more than there are integers", { $0.moveSubranges(RangeSet(Int.min..<Int.max), to: 0) }),
        ("set subscript", { $0[Int.max] = "x" }),
        ("set subscript, negative", { $0[Int.min] = "x" }),
    ]

    @Test("7.3 They trap with the sentence before anything is delivered", arguments: calls.indices)
    func traps(index: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
        ) { [index] in
            let person = Person()
            person.tags = ["a", "b", "c"]
            let token = person.observe(\.tags, options: [.old, .new, .prior]) { _, _ in print("delivered") }
            Self.calls[index].call(person.mutable(\.tags))
            withExtendedLifetime(token) {}
        }
        let missing = words("out of range", "whose indices are", missingIn: message(of: result))
        #expect(missing == [], "\(Self.calls[index].name)")
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(!output.contains("delivered"), "\(Self.calls[index].name)")
    }

    @Test("7.3 More positions than there are integers trap with the sentence, too", arguments: [false, true])
    func trapsBeforeCounting(isReplacement: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isReplacement] in
            let view = Person().mutable(\.tags)
            let positions = RangeSet(Int.min..<Int.max)
            if isReplacement {
                view.replaceSubranges(positions, with: ["x"])
            } else {
                view.insert(contentsOf: ["x"], at: positions)
            }
        }
        #expect(words("1 elements were given", "positions of tags of a Person", missingIn: message(of: result)) == [])
    }
}
