// The place of a message in the stream.

/// The place of a message in the stream: its identifier in Redis.
///
/// An epoch is an unbroken sequence of messages, numbered from 0. Message 0 stands for the snapshot that the epoch
/// begins with. Redis accepts an identifier only if it is greater than all before it. A message that is sent twice is
/// thus stored once, and a writer that was replaced by a later one cannot write any more.
public struct Position: Hashable, Comparable, Sendable, LosslessStringConvertible {
    /// When the epoch began: milliseconds since 1970, or more if there was such an epoch already.
    public let epoch: UInt64
    /// The number of the message in the epoch.
    public let sequence: UInt64

    /// Creates a position.
    ///
    /// - Parameters:
    ///   - epoch: The epoch.
    ///   - sequence: The number of the message in the epoch.
    public init(epoch: UInt64, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Reads the text of ``description``.
    ///
    /// - Parameter description: The epoch, a dash and the number of the message.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = UInt64(parts[0]), let sequence = UInt64(parts[1]) else { return nil }
        self.init(epoch: epoch, sequence: sequence)
    }

    /// Before all messages.
    public static let start = Self(epoch: 0, sequence: 0)

    /// The next position in the same epoch.
    public var next: Self { Self(epoch: epoch, sequence: sequence + 1) }

    /// The identifier in Redis.
    public var description: String { "\(epoch)-\(sequence)" }

    /// Whether a position comes before another one.
    public static func < (left: Self, right: Self) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}
