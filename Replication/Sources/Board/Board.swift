// The replicated model.
public import KeyValueObserving
public import KeyValueObservingHistory
public import Replication

/// A board with cards, and votes for them.
@MainActor
public final class Board: Replicated {
    /// Makes the properties observable.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The title of the board.
    @Observed public var title = ""
    /// The texts of the cards.
    @Observed public var cards: [String] = []
    /// How many votes a card has.
    @Observed public var votes: [String: Int] = [:]

    /// Creates an empty board.
    public init() {}

    /// All of a board, as a value.
    public struct State: Codable, Hashable, Sendable {
        fileprivate var title: String
        fileprivate var cards: [String]
        fileprivate var votes: [String: Int]
    }

    /// All of this board.
    public var state: State { State(title: title, cards: cards, votes: votes) }

    /// Makes this board like another one.
    ///
    /// - Parameter state: The values of the other board.
    public func restore(_ state: State) {
        title = state.title
        cards = state.cards
        votes = state.votes
    }

    /// Makes a manager track all properties of this board.
    ///
    /// - Parameter recorder: The manager.
    public func track(with recorder: KeyValueUndoManager) {
        recorder.track(self, \.title, \.cards, \.votes, named: "board")
    }
}
