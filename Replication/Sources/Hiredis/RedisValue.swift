// The answers of the server.
public import Foundation

/// The server's answer to a command.
public enum RedisValue: Equatable, Sendable {
    /// No value.
    case null
    /// A number.
    case integer(Int)
    /// Bytes, or the text of a status.
    case bytes(Data)
    /// Several values.
    case array([RedisValue])

    /// The text, if it is one.
    public var text: String? {
        guard case .bytes(let data) = self else { return nil }
        return String(data: data, encoding: .utf8)
    }

    /// The bytes, if it has some.
    public var data: Data? {
        guard case .bytes(let data) = self else { return nil }
        return data
    }

    /// The values, if there are several.
    public var values: [RedisValue]? {
        guard case .array(let values) = self else { return nil }
        return values
    }
}
