// Calls of views that trap, for positions out of range and closures that change the array or the path: 7.3, 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("7.3 3.5 What views trap for")
struct ViewRangeTests {
    private static let outside = "is out of range of tags of a Person, whose indices are 0..<3."

    /// Calls that are out of range, or with another number of elements, and what the sentence says.
    private static let wrong: [(call: @Sendable (ObservedMutableArray<String>) -> Void, sentence: String)] =
        [
            ({ $0.insert("x", at: 4) }, "Index 4 \(outside)"),
            ({ $0.remove(at: 3) }, "Index 3 is out of range"),
            ({ $0[3] = "x" }, "Index 3 is out of range"),
            ({ $0.removeFirst(4) }, "Index 3 is out of range"),
            ({ $0.removeLast(-1) }, "Index -1 is out of range"),
            ({ $0.replaceSubrange(2..<4, with: ["x"]) }, "Index 3 is out of range"),
            ({ $0.removeSubranges(RangeSet(0, 3)) }, "Index 3 is out of range"),
            ({ $0.insert(contentsOf: ["x"], at: RangeSet(5)) }, "Index 5 is out of range"),
            ({ $0.swapAt(0, 3) }, "Index 3 is out of range"),
            ({ $0.moveSubranges(RangeSet(0), to: 4) }, "Index 4 is out of range"),
            (
                { $0.replaceSubranges(RangeSet(0), with: ["x", "y"]) },
                "2 elements were given for 1 positions of tags of a Person."
            ),
            ({ $0.insert(contentsOf: ["x"], at: RangeSet(0, 1)) }, "1 elements were given for 2 positions"),
            // More positions than there are integers.
            ({ $0.replaceSubranges(RangeSet(Int.min..<Int.max), with: ["x"]) }, "1 elements were given for"),
            ({ $0.insert(contentsOf: ["x"], at: RangeSet(Int.min..<Int.max)) }, "positions of tags of a Person"),
            // Far out of range, which must not overflow.
            ({ $0.insert("x", at: Int.max) }, outside),
            ({ $0.insert("x", at: Int.min) }, outside),
            ({ $0.insert(contentsOf: ["x", "y"], at: Int.max) }, outside),
            ({ $0.insert(contentsOf: ["x", "y"], at: Int.min) }, outside),
            ({ $0.insert(contentsOf: ["x"], at: RangeSet(Int.max - 1..<Int.max)) }, outside),
            ({ $0.remove(at: Int.max) }, outside),
            ({ $0.remove(at: Int.min) }, outside),
            ({ $0.removeSubranges(RangeSet(Int.max - 1..<Int.max)) }, outside),
            ({ $0.removeSubranges(RangeSet(0..<Int.max)) }, outside),
            ({ $0.removeFirst(Int.max) }, outside),
            ({ $0.removeFirst(Int.min) }, outside),
            ({ $0.removeLast(Int.max) }, outside),
            ({ $0.removeLast(Int.min) }, outside),
            ({ $0.removeSubrange(1..<Int.max) }, outside),
            ({ $0.removeSubrange(5..<6) }, outside),
            ({ $0.removeSubrange(Int.max..<Int.max) }, outside),
            ({ $0.removeSubrange(Int.min..<2) }, outside),
            ({ $0.removeSubrange(9...) }, outside),
            ({ $0.replaceSubrange(0..<Int.max, with: ["x"]) }, outside),
            ({ $0.replaceSubrange(Int.max..<Int.max, with: ["x"]) }, outside),
            ({ $0.replaceSubranges(RangeSet(Int.max - 1..<Int.max), with: ["x"]) }, outside),
            ({ $0.swapAt(Int.max, 0) }, outside),
            ({ $0.swapAt(0, Int.min) }, outside),
            ({ $0.moveSubranges(RangeSet(0..<1), to: Int.max) }, outside),
            ({ $0.moveSubranges(RangeSet(0..<1), to: Int.min) }, outside),
            ({ $0.moveSubranges(RangeSet(Int.max - 1..<Int.max), to: 0) }, outside),
            ({ $0.removeSubranges(RangeSet(Int.min..<Int.max)) }, outside),
            ({ $0.moveSubranges(RangeSet(Int.min..<Int.max), to: 0) }, outside),
            ({ $0[Int.max] = "x" }, outside),
            ({ $0[Int.min] = "x" }, outside),
        ]

    @Test(
        "7.3 They trap with the sentence before anything is delivered", .enabled(if: hasReflectionMetadata),
        arguments: wrong.indices)
    func traps(index: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
        ) { [index] in
            let person = Person()
            person.tags = ["a", "b", "c"]
            let token = person.observe(\.tags, options: [.old, .new, .prior]) { _, _ in print("delivered") }
            Self.wrong[index].call(person.mutable(\.tags))
            withExtendedLifetime(token) {}
        }
        #expect(words(Self.wrong[index].sentence, missingIn: message(of: result)) == [])
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(!output.contains("delivered"))
    }

    @Test(
        "3.5 A closure that changes the array that it is asked about traps, and says what to do",
        .enabled(if: hasReflectionMetadata), arguments: 0..<2)
    func changedInside(call: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [call] in
            let person = Person()
            person.tags = ["d", "b"]
            let view = person.mutable(\.tags)
            func meddle(_ tag: String) -> Bool {
                person.tags.append("z")
                return tag == "b"
            }
            if call == 0 { view.sort { left, _ in meddle(left) } } else { view.removeAll { meddle($0) } }
        }
        let sentence = "A closure changed tags of a Person, which it was asked about."
        #expect(words(sentence, missingIn: message(of: result)) == [])
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
