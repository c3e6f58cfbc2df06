// What changes nothing is no step: 18.1.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.1 D20 What changes nothing")
struct UnchangedTests {
    private let board = Board()
    private let manager = KeyValueUndoManager()
    private let log = Log()
    private let tokens: [KeyValueObservation]

    init() throws {
        board.tags = ["a", "a", "b"]
        board.cards = [Card("a")]
        board.sizes = ["k": 1]
        manager.track(board, \.count, \.tags, \.cards, \.sizes, \.marks, \.ratio)
        // There is a step to undo, and one to redo.
        board.count = 1
        board.count = 2
        try manager.undo()
        tokens = [
            manager.observe(\.canUndo) { [log] _, _ in log.add("undo") },
            manager.observe(\.canRedo) { [log] _, _ in log.add("redo") },
            manager.observe(\.undoActionName) { [log] _, _ in log.add("name") },
        ]
    }

    /// Whether something is no step, of which nobody is notified.
    private func isNone(_ body: () -> Void) throws -> Bool {
        body()
        let isSilent = log.take().isEmpty
        try manager.undo()
        defer { manager.removeAllActions() }
        return isSilent && board.count == 0 && !manager.canUndo && manager.canRedo
    }

    @Test("18.1 A set of an equal value is no step, and drops nothing that could be redone", arguments: 0..<6)
    func equalValue(index: Int) throws {
        #expect(
            try isNone {
                switch index {
                case 0: board.count = 1
                case 1: board.tags = ["a", "a", "b"]
                case 2: board.cards = board.cards.map { $0 }
                case 3: board.mutable(\.tags)[0] = "a"
                case 4: board.mutable(\.sizes)["k"] = 1
                default: board.mutable(\.sizes).set(["k": 1])
                }
            })
    }

    @Test("18.1 A move that gives equal elements each other's place is no step")
    func equalElements() throws {
        board.mutable(\.tags).moveSubranges(RangeSet([0..<1]), to: 2)
        try manager.undo()
        #expect(board.count == 0 && board.tags == ["a", "a", "b"] && !manager.canUndo)
    }

    @Test("18.1 A group that ends where it began is no step", arguments: [nil, "Named"])
    func group(name: String?) throws {
        #expect(
            try isNone {
                manager.group(named: name) {
                    board.count = 5
                    board.mutable(\.tags).append(contentsOf: ["x", "y"])
                    board.mutable(\.marks).formUnion([1, 2])
                    board.mutable(\.tags).removeLast()
                    board.mutable(\.marks).remove(1)
                    board.mutable(\.tags).removeLast()
                    board.mutable(\.marks).remove(2)
                    board.count = 1
                }
            })
    }

    @Test("18.1 A transaction that ends where it began is no step")
    func transaction() throws {
        #expect(
            try isNone {
                withKeyValueTransaction {
                    board.count = 5
                    board.mutable(\.tags).append(contentsOf: ["x", "y", "z"])
                    board.mutable(\.tags).removeLast()
                    board.mutable(\.tags).removeLast()
                    board.mutable(\.tags).removeLast()
                    board.mutable(\.cards).append(Card("b"))
                    board.mutable(\.cards).removeLast()
                    board.count = 1
                }
            })
    }

    @Test("18.1 What a handler takes back at once is no step")
    func handler() throws {
        let token = board.observe(\.tags) { board, _ in
            if board.tags.count > 3 { board.mutable(\.tags).removeLast() }
        }
        board.mutable(\.tags).append("too many")
        #expect(board.tags.count == 3)
        try manager.undo()
        #expect(board.count == 0 && !manager.canUndo)
        withExtendedLifetime(token) {}
    }

    @Test("18.1 A change of another part of a struct is no step of a tracked part")
    func part() throws {
        let manager = KeyValueUndoManager()
        manager.track(board, \.style.width)
        board.style.names = ["n"]
        #expect(!manager.canUndo)
        board.style.width = 2
        board.style.names = ["n", "m"]
        #expect(try undoAll(manager) == 1)
        #expect(board.style.width == 1 && board.style.names == ["n", "m"])
    }

    @Test("18.1 NaN that is set again is no step")
    func nan() throws {
        board.ratio = .nan
        board.ratio = .nan
        try manager.undo()
        #expect(board.ratio == 0)
    }

    @Test("18.1 The steps that are too many are not counted with what is no step")
    func levels() throws {
        let manager = KeyValueUndoManager(levelsOfUndo: 2)
        manager.track(board, \.count)
        board.count = 5
        board.count = 6
        manager.group {
            board.count = 7
            board.count = 6
        }
        #expect(try undoAll(manager) == 2)
    }

    @Test("18.1 Of the changes in a group, the properties that end as they began are no part of the step")
    func partOfGroup() throws {
        let other = Board()
        manager.track(other, \.count)
        manager.group {
            board.count = 5
            other.count = 1
            board.count = 1
        }
        manager.stopTracking(other)
        try manager.undo()
        #expect(board.count == 0)
    }
}
