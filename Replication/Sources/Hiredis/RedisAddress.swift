// Where a server listens.

/// Where a server listens.
public struct RedisAddress: Hashable, Sendable, CustomStringConvertible {
    /// The name or number of the machine.
    public var host: String
    /// The port.
    public var port: Int

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - host: The name or number of the machine.
    ///   - port: The port.
    public init(host: String = "127.0.0.1", port: Int = 6_379) {
        self.host = host
        self.port = port
    }

    /// The address as `host:port`.
    public var description: String { "\(host):\(port)" }
}
