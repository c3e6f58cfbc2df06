// A connection to a server, which waits on a thread of its own.
import Foundation

/// A connection to a Redis server.
///
/// hiredis blocks while it waits for the network, so each connection has a queue of its own, and a task that awaits a
/// command blocks no thread. Commands are executed one after the other. After a command has thrown
/// ``RedisError/Code/disconnected``, the connection cannot be used any more. Releasing the connection closes it.
///
/// The first connection makes the process ignore `SIGPIPE`, because hiredis writes to sockets that the server may have
/// closed.
public actor RedisConnection {
    /// The server.
    public nonisolated let address: RedisAddress
    private let executor = QueueExecutor(label: "RedisConnection")
    private var context: Context?

    /// The executor that runs the commands.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private init(to address: RedisAddress) { self.address = address }

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - address: The server.
    ///   - timeout: How long connecting, and each command, may take.
    /// - Returns: The connection.
    /// - Throws: A ``RedisError``, if the server cannot be reached.
    public static func connect(
        to address: RedisAddress, timeout: Duration = .seconds(10)
    ) async throws(RedisError) -> RedisConnection {
        let connection = RedisConnection(to: address)
        try await connection.open(timeout)
        return connection
    }

    private func open(_ timeout: Duration) throws(RedisError) {
        guard let context = Context(connectingTo: address, within: timeout) else {
            throw error(.unreachable, "connect", "memory is exhausted")
        }
        if let reason = context.problem { throw error(.unreachable, "connect", reason) }
        self.context = consume context
    }

    /// Executes a command on the server.
    ///
    /// - Parameters:
    ///   - command: The name of the command.
    ///   - arguments: Its arguments, any bytes.
    /// - Returns: The answer.
    /// - Throws: A ``RedisError``.
    @discardableResult
    public func execute(_ command: String, _ arguments: RedisArgument...) throws(RedisError) -> RedisValue {
        switch context?.execute([RedisArgument(command)] + arguments) {
        case .value(let value): return value
        case .refused(let reason): throw error(.refused, command, reason)
        case nil:
            let reason = context?.problem ?? "it was closed"
            context = nil
            throw error(.disconnected, command, reason)
        }
    }

    /// Creates the error for an answer of an unexpected form.
    ///
    /// - Parameters:
    ///   - value: The answer.
    ///   - command: The command.
    /// - Returns: The error.
    public nonisolated func unexpected(_ value: RedisValue, to command: String) -> RedisError {
        error(.unexpectedAnswer, command, "\(value)")
    }

    private nonisolated func error(_ code: RedisError.Code, _ command: String, _ reason: String) -> RedisError {
        RedisError(code: code, command: command, address: address, reason: reason)
    }
}

/// Runs an actor on a queue, so that it may wait there.
private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
