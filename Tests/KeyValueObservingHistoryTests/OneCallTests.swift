// One call of a view is one step, though it is two changes: 18.1.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.1 D20 One call is one step")
struct OneCallTests {
    private let board = Board()
    private let manager = KeyValueUndoManager()

    @Test("18.1 A call of a view is one step, though it is two changes", arguments: 0..<6, [false, true])
    func call(index: Int, isObserved: Bool) throws {
        board.tags = ["a", "b", "c", "d"]
        board.marks = [1, 2]
        manager.track(board, \.tags, \.marks)
        let log = Log()
        let token = isObserved ? board.observe(\.tags) { _, change in log.add("\(change.kind)") } : nil
        let (before, marks) = (board.tags, board.marks)
        let tags = board.mutable(\.tags)
        switch index {
        case 0: tags.moveSubranges(RangeSet([0..<1]), to: 4)
        case 1: tags.moveSubranges(RangeSet([0..<1, 2..<3]), to: 4)
        case 2: tags.replaceSubrange(1..<2, with: ["x", "y"])
        case 3: tags.replaceSubrange(1..<3, with: ["x"])
        case 4: tags.replaceSubrange(1..<3, with: ["x", "y"])
        default: board.mutable(\.marks).formSymmetricDifference([2, 3])
        }
        if isObserved { #expect(log.take().count == (index < 4 ? 2 : index == 4 ? 1 : 0)) }
        let after = (board.tags, board.marks)
        try manager.undo()
        #expect(board.tags == before && board.marks == marks && !manager.canUndo)
        try manager.redo()
        #expect((board.tags, board.marks) == after && !manager.canRedo)
        withExtendedLifetime(token) {}
    }

    @Test("18.1 Two calls are two steps, and what handlers change belongs to the first of them")
    func twoCalls() throws {
        board.tags = ["a", "b", "c"]
        manager.track(board, \.tags, \.count)
        let token = board.observe(\.tags, options: []) { board, change in
            if change.kind == .removal { board.count += 1 }
        }
        board.mutable(\.tags).moveSubranges(RangeSet([0..<1]), to: 3)
        board.mutable(\.tags).moveSubranges(RangeSet([0..<1]), to: 3)
        #expect(board.tags == ["c", "a", "b"] && board.count == 2)
        try manager.undo()
        #expect(board.tags == ["b", "c", "a"] && board.count == 1)
        try manager.undo()
        #expect(board.tags == ["a", "b", "c"] && board.count == 0 && !manager.canUndo)
        withExtendedLifetime(token) {}
    }

    @Test("18.1 A call inside a handler belongs to the step of the handler")
    func callInHandler() throws {
        board.tags = ["a", "b", "c"]
        manager.track(board, \.tags, \.count)
        let token = board.observe(\.count) { board, _ in
            board.mutable(\.tags).moveSubranges(RangeSet([0..<1]), to: 3)
        }
        board.count = 1
        #expect(board.tags == ["b", "c", "a"])
        token.invalidate()
        try manager.undo()
        #expect(board.tags == ["a", "b", "c"] && board.count == 0 && !manager.canUndo)
    }
}
