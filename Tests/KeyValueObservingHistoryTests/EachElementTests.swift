// Tracking the objects in a list.
import KeyValueObserving
import KeyValueObservingHistory
import Testing

@Suite("18.1 Objects in a list are tracked")
struct EachElementTests {
    private let board = Board()
    private let manager = KeyValueUndoManager()

    @Test("18.1 What was put in, changed and taken out comes back in steps, and objects that come later are tracked")
    func list() throws {
        let (first, second) = (Card("first"), Card("second"))
        board.cards = [first]
        manager.track(board, eachOf: \.cards, \.text)
        first.text = "1"
        board.mutable(\.cards).append(second)
        second.text = "2"
        board.cards.removeAll()
        var pictures: [String] = []
        func picture() -> String { board.cards.map(\.text).joined(separator: " ") }
        while manager.canUndo {
            try manager.undo()
            pictures.append(picture())
        }
        #expect(pictures == ["1 2", "1 second", "1", "first"])
        while manager.canRedo { try manager.redo() }
        #expect(picture() == "" && first.text == "1" && second.text == "2")
    }

    @Test("18.1 Once the list is no longer tracked, objects that come are not tracked")
    func stopped() {
        manager.track(board, eachOf: \.cards, \.text)
        manager.stopTracking(board)
        let card = Card("new")
        board.cards = [card]
        card.text = "changed"
        #expect(!manager.canUndo)
    }
}
