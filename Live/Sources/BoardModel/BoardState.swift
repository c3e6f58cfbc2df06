// The state of a client: the values of a board, to which it applies the changes that it receives.
public import Foundation
import KeyValueObserving

/// A piece of work.
public struct Card: Codable, Hashable, Identifiable, Sendable {
    /// The number of the card, which no other card has.
    public let id: Int
    /// The text of the task.
    public let text: String
    /// The finished part, in percent.
    public var progress: Int

    /// Makes a card for a task, by default not begun.
    public init(id: Int, text: String, progress: Int = 0) { (self.id, self.text, self.progress) = (id, text, progress) }
}

/// The values of a board at one moment.
public struct BoardState: Codable, Equatable, Sendable {
    /// The cards that are not finished.
    public var cards: [Card]
    /// How many cards have been finished.
    public var finished: Int

    /// Makes the state of a board.
    public init(cards: [Card], finished: Int) { (self.cards, self.finished) = (cards, finished) }

    /// Applies a change that the server sent.
    ///
    /// - Parameter json: A `KeyValueObservedChange` as JSON. Its name says which property it belongs to.
    /// - Throws: `DecodingError` if it is not a change of a board's property.
    public mutating func apply(_ json: Data) throws {
        struct Named: Decodable { let name: Property }
        switch try JSONDecoder().decode(Named.self, from: json).name {
        case .cards: try apply(json, to: &cards)
        case .finished: try apply(json, to: &finished)
        }
    }

    private enum Property: String, Decodable { case cards, finished }

    private func apply<Value: Decodable & Sendable>(_ json: Data, to copy: inout Value) throws {
        try JSONDecoder().decode(KeyValueObservedChange<Value>.self, from: json).apply(to: &copy)
    }
}
