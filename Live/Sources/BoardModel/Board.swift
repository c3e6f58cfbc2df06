// The observed model.
public import KeyValueObserving

/// A board of cards, which belongs to the actor that changes it.
public final class Board: KeyValueObservable {
    /// The observers of the board.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The cards that are not finished.
    @Observed public var cards: [Card] = []
    /// How many cards have been finished.
    @Observed public var finished = 0

    /// Makes an empty board.
    public init() {}

    /// The current values.
    public var state: BoardState { BoardState(cards: cards, finished: finished) }
}
