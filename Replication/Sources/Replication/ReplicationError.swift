// Why a writer stopped.

/// Why a writer stopped.
public enum ReplicationError: Error, Equatable, CustomStringConvertible {
    /// Another writer has begun an epoch in the stream.
    case replaced(by: Position)

    /// What went wrong, and what to do.
    public var description: String {
        switch self {
        case .replaced(let position):
            """
            Another writer began to write the stream at \(position). Run one writer at a time, or give each a stream of its \
            own.
            """
        }
    }
}
