// What is sent.
import FoundationEssentials

/// What the writer sends.
struct Message<State: Sendable>: Sendable {
    enum Content: Sendable {
        /// Changes, as `KeyValueUndoManager` saves them.
        case changes(Data)
        /// The whole model. Followers that have what came before need it not, unless it begins an epoch. What is older than
        /// `oldest` is removed from the stream.
        case snapshot(State, oldest: Position)
    }

    let position: Position
    let content: Content
}

/// What a follower reads.
struct Entry: Sendable {
    let position: Position
    /// Nil for a message that stands for a snapshot.
    let changes: Data?
}

/// The whole model after a message.
struct Snapshot<State: Sendable>: Sendable {
    let position: Position
    let state: State
}
