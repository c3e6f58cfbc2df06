// Which messages a copy has.

/// Which messages a copy has, and what it needs next.
struct Cursor: Equatable {
    /// The last message that is in the copy; nil if the copy does not follow the stream.
    private(set) var position: Position?
    /// Where to go on reading.
    private(set) var seen = Position.start
    /// The last snapshot that was taken.
    private var taken: Position?

    /// Whether the copy can make the changes of a message.
    func isNext(_ message: Position) -> Bool { position?.next == message }

    /// The copy has made the changes of the next message.
    mutating func pass(_ message: Position) { (position, seen) = (message, message) }

    /// A message is not the next one; it was read with those up to `last`.
    mutating func skip(to last: Position) {
        position = nil
        seen = max(seen, last)
    }

    /// Whether the copy needs a snapshot.
    ///
    /// A copy that follows needs none. One that was taken already, and led to a gap, is no help: a later one comes.
    func needs(_ snapshot: Position) -> Bool { position?.epoch != snapshot.epoch && taken != snapshot }

    /// The copy is what a snapshot says.
    mutating func take(_ snapshot: Position) { (position, seen, taken) = (snapshot, snapshot, snapshot) }
}
