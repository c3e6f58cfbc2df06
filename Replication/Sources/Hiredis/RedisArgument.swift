// The arguments of commands.
public import Foundation

/// An argument of a command: text, a number or any bytes.
public struct RedisArgument: Sendable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    let bytes: Data

    /// Creates an argument of bytes.
    ///
    /// - Parameter data: The bytes.
    public init(_ data: Data) { bytes = data }

    /// Creates an argument of text.
    ///
    /// - Parameter text: The text.
    public init(_ text: String) { bytes = Data(text.utf8) }

    /// Creates an argument of text.
    ///
    /// - Parameter text: The text.
    public init(stringLiteral text: String) { self.init(text) }

    /// Creates an argument of a number.
    ///
    /// - Parameter number: The number.
    public init(integerLiteral number: Int) { self.init("\(number)") }
}
