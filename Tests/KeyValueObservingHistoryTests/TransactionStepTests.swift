// A transaction of several changes of elements is one step, and undoing it is a transaction: 10.2, 18.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("10.2 18 Transactions of elements are steps")
struct TransactionStepTests {
    private let board = Board()
    private let manager = KeyValueUndoManager()

    @Test(
        "10.2 18.1 Several changes of elements in a transaction are one step, which can be redone", arguments: 0..<4)
    func oneStep(way: Int) throws {
        manager.track(board, \.tags)
        manager.track(board, \.marks)
        manager.track(board, \.sizes)
        (board.tags, board.marks, board.sizes) = (["a", "b"], [1], ["k": 1])
        let before = board.picture
        withKeyValueTransaction {
            let tags = board.mutable(\.tags)
            tags.append("c")
            tags.removeFirst()
            if way == 1 { board.tags = ["x", "y"] }
            if way == 2 { tags.insert("a", at: 0) }
            tags.insert("d", at: 1)
            if way > 0 {
                board.mutable(\.marks).formSymmetricDifference([1, 2])
                board.mutable(\.marks).insert(3)
                board.mutable(\.sizes)["l"] = 2
                board.mutable(\.sizes)["k"] = nil
            }
        }
        let after = board.picture
        for _ in 0..<2 {
            try manager.undo()
            #expect(board.picture == before)
            try manager.redo()
            #expect(board.picture == after)
        }
    }

    @Test("10.2 18.1 Undoing and redoing it is a transaction: each observer is called once, and can replay it")
    func observers() throws {
        manager.track(board, \.tags)
        board.tags = ["a", "b"]
        withKeyValueTransaction {
            board.mutable(\.tags).append("c")
            board.mutable(\.tags).removeFirst()
        }
        var (mirror, calls) = (board.tags, 0)
        let token = board.observe(\.tags) { _, change in
            calls += 1
            change.apply(to: &mirror)
        }
        for count in 1...2 {
            _ = try count == 1 ? manager.undo() : manager.redo()
            #expect(mirror == board.tags && calls == count)
        }
        withExtendedLifetime(token) {}
    }

    @Test("18.1 10.2 What came and went in a transaction is no step, and leaves what can be redone")
    func cameAndWent() throws {
        manager.track(board, \.tags)
        board.tags = ["a"]
        try manager.undo()
        withKeyValueTransaction {
            board.mutable(\.tags).append("c")
            board.mutable(\.tags).removeLast()
        }
        #expect(manager.canRedo && !manager.canUndo)
        try manager.redo()
        #expect(board.tags == ["a"])
    }
}
