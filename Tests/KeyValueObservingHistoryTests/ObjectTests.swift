// Lists of objects: the tracked ones, and the cost of undoing one of many: 18.1.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.1 18.2 D20 Lists of objects")
struct ObjectTests {
    private final class Shelf: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var list: [Book] = []
        @Observed var table: [String: Book] = [:]
    }

    /// An object that counts how often it is looked into.
    private final class Book: CustomReflectable {
        let log: Log
        init(_ log: Log) { self.log = log }

        var customMirror: Mirror {
            log.add("look")
            return Mirror(self, children: [])
        }
    }

    @Test("18.1 Undo of one of many objects compares the others by reference, and looks into none")
    func many() throws {
        let (shelf, manager, log) = (Shelf(), KeyValueUndoManager(), Log())
        shelf.list = (0..<100).map { _ in Book(log) }
        shelf.table = Dictionary(uniqueKeysWithValues: (0..<100).map { ("\($0)", Book(log)) })
        manager.track(shelf, \.list, \.table)
        shelf.mutable(\.list).append(Book(log))
        shelf.mutable(\.table)["new"] = Book(log)
        shelf.list.swapAt(0, 1)
        for _ in 1...3 { try manager.undo() }
        try redoAll(manager)
        #expect(shelf.list.count == 101 && shelf.table.count == 101)
        #expect(log.lines.count < 10, "\(log.lines.count)")
    }

    // MARK: Coming and going

    @Test("18.1 An object that has left a list is not tracked, and comes back with undo", arguments: [false, true])
    func left(isRetained: Bool) throws {
        let (board, pen, manager) = (Board(), Card("pen"), KeyValueUndoManager(retainsObserved: isRetained))
        manager.track(board, eachOf: \.cards, \.text)
        board.mutable(\.cards).append(pen)
        pen.text = "red pen"
        #expect(!pen.observationInfo.isEmpty)
        board.mutable(\.cards).removeAll()
        #expect(pen.observationInfo.isEmpty)
        manager.group(named: "Elsewhere") { pen.text = "blue pen" }
        #expect(manager.undoActionName == nil)
        pen.text = "red pen"
        try manager.undo()
        #expect(board.cards.first === pen)
        pen.text = "green pen"
        #expect(try undoAll(manager) == 3)
        #expect(pen.text == "pen" && board.cards.isEmpty && pen.observationInfo.isEmpty)
        try redoAll(manager)
        #expect(pen.text == "green pen" && board.cards.first === pen)
        manager.withoutRecording { board.cards = [] }
        #expect(pen.observationInfo.isEmpty)
        #expect(refusal(manager.undo) == nil && pen.text == "red pen", "what it did while it was there is undone")
    }

    @Test("18.1 An object is tracked while any list has it, or if it is tracked itself")
    func several() throws {
        let (board, other, manager) = (Board(), Board(), KeyValueUndoManager())
        let (pen, ink, own) = (Card("pen"), Card("ink"), Card("own"))
        manager.track(own, \.text)
        for board in [board, other] { manager.track(board, eachOf: \.cards, \.text) }
        board.cards = [pen, ink, pen, own]
        other.cards = [pen]
        func isTracked(_ card: Card) throws -> Bool {
            manager.removeAllActions()
            card.text += "!"
            return manager.canUndo
        }
        board.mutable(\.cards).removeLast()
        #expect(try isTracked(own))
        board.mutable(\.cards).removeLast()
        board.mutable(\.cards).reverse()
        #expect(try isTracked(pen) && isTracked(ink))
        other.cards = []
        #expect(try isTracked(pen))
        withKeyValueTransaction {
            board.cards = []
            board.cards = [ink]
        }
        #expect(try !isTracked(pen) && isTracked(ink))
        other.cards = [pen]
        #expect(try isTracked(pen))
        manager.stopTracking(pen)
        #expect(try !isTracked(pen))
        other.cards = []
        other.cards = [pen]
        #expect(try isTracked(pen))
    }

    @Test("18.2 Objects of a list that dies, or is no longer tracked, are no longer tracked", arguments: [false, true])
    func listEnds(isDeath: Bool) throws {
        let (manager, pen, ink, keeper) = (KeyValueUndoManager(), Card("pen"), Card("ink"), Board())
        var board: Board? = Board()
        manager.track(board!, eachOf: \.cards, \.text)
        manager.track(keeper, eachOf: \.cards, \.text)
        board!.cards = [pen, ink]
        keeper.cards = [ink]
        manager.removeAllActions()
        pen.text = "red pen"
        ink.text = "red ink"
        if !isDeath { manager.stopTracking(board!) }
        board = nil
        #expect(pen.observationInfo.isEmpty && !ink.observationInfo.isEmpty)
        pen.text = "blue pen"
        #expect(try undoAll(manager) == 1)
        #expect(pen.text == "blue pen" && ink.text == "ink")
    }

    @Test("18.2 A list in a list that ends with it lets its objects go, too")
    func listInList() {
        final class Folder: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var folders: [Folder] = []
            @Observed var name = ""
        }
        let (root, leaf, manager) = (Folder(), Folder(), KeyValueUndoManager())
        manager.track(root, eachOf: \.folders, \.name)
        root.folders = [Folder()]
        manager.track(root.folders[0], eachOf: \.folders, \.name)
        root.folders[0].folders = [leaf]
        root.folders = []
        leaf.name = "a"
        manager.stopTracking(root)
        #expect(leaf.observationInfo.isEmpty && !manager.canUndo)
    }

    @Test("18.1 What the step that removes an object changes in it belongs to it, in any order", arguments: 0..<5)
    func changedWithRemoval(index: Int) throws {
        let (board, pen, manager) = (Board(), Card("pen"), KeyValueUndoManager())
        board.cards = [pen]
        var tokens: [KeyValueObservation] = []
        func observe() { tokens.append(board.observe(\.cards) { _, _ in pen.text = "gone" }) }
        if index == 0 { observe() }
        manager.track(board, eachOf: \.cards, \.text)
        if index == 1 { observe() }
        pen.text = "red pen"
        func remove() {
            board.mutable(\.cards).removeAll()
            pen.text = "gone"
        }
        switch index {
        case 2: withKeyValueTransaction { remove() }
        case 3: manager.group { remove() }
        case 4:
            manager.group {
                remove()
                board.cards = [pen]
                pen.text = "moved"
                remove()
            }
        default: board.mutable(\.cards).removeAll()
        }
        #expect(pen.observationInfo.isEmpty)
        tokens = []
        for _ in 0..<2 {
            try manager.undo()
            #expect(board.picture == "(red pen)")
            try manager.undo()
            #expect(board.picture == "(pen)")
            try redoAll(manager)
            #expect(pen.text == "gone" && pen.observationInfo.isEmpty && board.cards.isEmpty)
        }
    }

    @Test("18.1 A group is one step and no transaction: observers see each change of it, and one at its undo")
    func sale() throws {
        let (board, manager, log, kept) = (Board(), KeyValueUndoManager(), Log(), Kept())
        manager.track(board, eachOf: \.cards, \.text)
        board.observe(reading: { $0.cards.map(\.text) }) { board, _ in log.add(board.picture) }.store(in: kept)
        manager.group(named: "Sale") {
            board.mutable(\.cards).append(Card("a"))
            board.cards[0].text = "b"
            board.mutable(\.cards).append(Card("c"))
        }
        #expect(log.take() == ["(a)", "(b)", "(b c)"])
        try manager.undo()
        #expect(log.take() == [""])
    }
}
