// The arguments of both programs.
public import Hiredis

/// The arguments of a program: the port of the server, the name of the stream, and for the writer how many messages there
/// are at most between two snapshots.
public struct Arguments {
    /// The server, on this machine.
    public let address: RedisAddress
    /// The name of the stream.
    public let name: String
    /// How many messages there are at most between two snapshots.
    public let snapshotInterval: Int

    /// Reads the arguments; missing ones have default values.
    ///
    /// - Parameter arguments: The arguments of the program, with its name.
    public init(_ arguments: [String] = CommandLine.arguments) {
        let given = arguments.dropFirst()
        address = RedisAddress(port: given.first.flatMap(Int.init) ?? 6_379)
        name = given.dropFirst().first ?? "board"
        snapshotInterval = given.dropFirst(2).first.flatMap(Int.init) ?? 500
    }
}
