// The position of a copy in the stream.

/// The messages that a copy has, and the next ones that it needs.
struct Cursor: Equatable {
    /// The last message that is in the copy; nil if the copy does not follow the stream.
    private(set) var position: Position?
    /// The position to continue reading after.
    private(set) var seen = Position.start
    /// The last snapshot that the copy used.
    private var taken: Position?

    /// Whether the copy can apply the changes of a message.
    func isNext(_ message: Position) -> Bool { position?.next == message }

    /// Records that the copy has applied the changes of the next message.
    mutating func pass(_ message: Position) { (position, seen) = (message, message) }

    /// Records that a message, read with those up to `last`, is not the next one.
    mutating func skip(to last: Position) {
        position = nil
        seen = max(seen, last)
    }

    /// Whether the copy needs a snapshot.
    ///
    /// A copy that follows needs none. A snapshot that the copy has used already, and that led to a gap, is no help; a
    /// later one comes.
    func needs(_ snapshot: Position) -> Bool { position?.epoch != snapshot.epoch && taken != snapshot }

    /// Records that the copy has the values of a snapshot.
    mutating func take(_ snapshot: Position) { (position, seen, taken) = (snapshot, snapshot, snapshot) }
}
