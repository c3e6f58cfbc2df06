// The newest changes of a board, for clients that come, go, and come back.
import BoardModel
import Foundation
import KeyValueObserving
import NIOCore
import Synchronization

/// Numbers the changes of a board and keeps the newest of them, encoded once for all clients.
///
/// The first number is the time at which the server starts, in microseconds, so a number of an earlier run is too old.
final class Journal: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    /// The number of the newest change.
    @ObservedShared private(set) var newest: Int

    /// How many changes it keeps.
    let capacity: Int
    private let contents: Mutex<Contents>
    /// Set once, before the journal is known to another thread.
    private var tokens: Set<KeyValueObservation> = []

    private struct Contents {
        /// The values after the newest change, so that a snapshot belongs to its number.
        var state: BoardState
        var newest: Int
        /// The change with the number n is at n modulo the capacity.
        var changes: [Int: String] = [:]
    }

    init(of board: Board, capacity: Int = 1_000) {
        let start = Int(Date().timeIntervalSince1970 * 1_000_000)
        (newest, self.capacity) = (start, capacity)
        contents = Mutex(Contents(state: board.state, newest: start))
        record(\.cards, of: board, as: \.cards)
        record(\.finished, of: board, as: \.finished)
    }

    private func record<Value: Codable & Sendable>(
        _ property: KeyPath<Board, Value>, of board: Board, as copy: WritableKeyPath<BoardState, Value>
    ) {
        // The handler runs inside the change, so changes are in their order, and it only encodes and keeps them.
        board.observe(property) { [weak self] _, change in
            self?.append(Self.json(change)) { change.apply(to: &$0[keyPath: copy]) }
        }.store(in: &tokens)
    }

    private func append(_ json: String, _ apply: (inout BoardState) -> Void) {
        newest = contents.withLock { contents in
            apply(&contents.state)
            contents.newest += 1
            contents.changes[contents.newest % capacity] = json
            return contents.newest
        }
    }

    /// Returns the next events for a client.
    ///
    /// - Parameter position: The number of the newest change that the client has; nil if it has none. The function
    ///   advances it.
    /// - Returns: Events, a snapshot if the changes after the position are not kept; nil if the client has everything.
    func events(after position: inout Int?) -> ByteBuffer? {
        let (state, changes) = contents.withLock { contents -> (BoardState?, [(Int, String)]) in
            let newest = contents.newest
            guard let known = position, known <= newest, known >= newest - contents.changes.count else {
                position = newest
                return (contents.state, [])
            }
            let end = min(newest, known + 100)
            position = end
            return (
                nil,
                (known..<end).compactMap { known in contents.changes[(known + 1) % capacity].map { (known + 1, $0) } }
            )
        }
        var buffer = ByteBuffer()
        if let state, let position {
            buffer.writeString("event: snapshot\nid: \(position)\ndata: \(Self.json(state))\n\n")
        }
        for (number, change) in changes { buffer.writeString("event: change\nid: \(number)\ndata: \(change)\n\n") }
        return buffer.readableBytes > 0 ? buffer : nil
    }

    /// JSON in one line.
    private static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            fatalError("A board has a value that cannot be JSON: \(error)")
        }
    }
}
