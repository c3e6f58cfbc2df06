// The messages of the stream.
import FoundationEssentials

/// A message of the writer.
struct Message<State: Sendable>: Sendable {
    enum Content: Sendable {
        /// Changes, as `KeyValueUndoManager` saves them.
        case changes(Data)
        /// The whole model. Followers with all earlier messages need it only if it begins an epoch. Messages older than
        /// `oldest` are removed from the stream.
        case snapshot(State, oldest: Position)
    }

    let position: Position
    let content: Content
}

/// A message as a follower reads it.
struct Entry: Sendable {
    let position: Position
    /// The changes; nil for a message that stands for a snapshot.
    let changes: Data?
}

/// The whole model after a message.
struct Snapshot<State: Sendable>: Sendable {
    let position: Position
    let state: State
}
