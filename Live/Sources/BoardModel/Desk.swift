// The actor that changes the board.
import KeyValueObserving

/// Changes a board, one command after the other, so that a command may read before it changes.
public actor Desk {
    private let board: Board
    private var nextID = 1
    private var nextCard = 0

    /// Takes over a board.
    public init(of board: sending Board) { self.board = board }

    /// Adds a card.
    ///
    /// - Returns: Whether it added the card; false if the board is full, or the text is empty or too long.
    public func add(_ text: String) -> Bool {
        guard board.cards.count < 100, 1...200 ~= text.count else { return false }
        board.mutable(\.cards).append(Card(id: nextID, text: text))
        nextID += 1
        return true
    }

    /// Makes one change: the next card advances, or it is finished, or a new one is added.
    public func work() {
        guard board.cards.count >= 8 else {
            _ = add("Task \(nextID)")
            return
        }
        nextCard = (nextCard + 1) % board.cards.count
        var card = board.cards[nextCard]
        card.progress = min(card.progress + 5 + nextCard, 100)
        if card.progress < 100 {
            board.mutable(\.cards)[nextCard] = card
        } else {
            board.mutable(\.cards).remove(at: nextCard)
            board.finished += 1
        }
    }
}
