// The errors of commands.

/// An error that explains why a command had no answer, and what to do.
public struct RedisError: Error, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable {
        /// No connection could be made.
        case unreachable
        /// The connection broke. Whether the command was executed is not known.
        case disconnected
        /// The server refused the command, and did nothing.
        case refused
        /// The answer has an unexpected form.
        case unexpectedAnswer
    }

    /// What went wrong.
    public let code: Code
    /// The command, without its arguments, which may be long or secret.
    public let command: String
    /// The server.
    public let address: RedisAddress
    /// The message of hiredis or the server.
    public let reason: String

    /// What went wrong, and what to do.
    public var description: String {
        switch code {
        case .unreachable:
            "There is no connection to Redis at \(address): \(reason). Start redis-server there, or give another address."
        case .disconnected:
            """
            The connection to Redis at \(address) broke during \(command): \(reason). Connect again, and ask the server \
            whether the command was executed.
            """
        case .refused:
            "Redis at \(address) refused \(command): \(reason). Correct the command, or the settings of the server."
        case .unexpectedAnswer:
            "Redis at \(address) answered \(command) with \(reason). Check that nothing else writes to the key."
        }
    }
}
