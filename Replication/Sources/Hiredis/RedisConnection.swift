// A connection to a server, which waits on a thread of its own.
import CHiredis
public import Foundation

/// A connection to a Redis server.
///
/// hiredis waits for the network, so each connection has a queue of its own: who awaits a command blocks no thread. Commands
/// are executed one after the other. When a command throws ``RedisError/Code/disconnected``, the connection is of no more
/// use. Releasing it closes it.
///
/// The first connection makes the process ignore `SIGPIPE`: hiredis writes to sockets that the server may have closed.
public actor RedisConnection {
    /// The server.
    public nonisolated let address: RedisAddress
    private let executor = QueueExecutor(label: "RedisConnection")
    private var context: Context?

    /// Where the commands wait.
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
        _ = ignoresBrokenPipes
        let (seconds, attoseconds) = timeout.components
        let limit = timeval(tv_sec: Int(seconds), tv_usec: .init(attoseconds / 1_000_000_000_000))
        guard let pointer = unsafe redisConnectWithTimeout(address.host, Int32(address.port), limit) else {
            throw error(.unreachable, "connect", "memory is exhausted")
        }
        let context = unsafe Context(pointer: pointer)
        if let reason = context.problem { throw error(.unreachable, "connect", reason) }
        unsafe redisSetTimeout(pointer, limit)
        self.context = consume context
    }

    /// Has the server execute a command.
    ///
    /// - Parameters:
    ///   - command: The name of the command.
    ///   - arguments: Its arguments, any bytes.
    /// - Returns: The answer.
    /// - Throws: A ``RedisError``.
    @discardableResult
    public func execute(_ command: String, _ arguments: RedisArgument...) throws(RedisError) -> RedisValue {
        guard context != nil else { throw error(.disconnected, command, "it was closed") }
        guard let pointer = unsafe context?.send([RedisArgument(command)] + arguments) else {
            let reason = context?.problem ?? "no answer"
            context = nil
            throw error(.disconnected, command, reason)
        }
        defer { unsafe freeReplyObject(pointer) }
        let reply = unsafe pointer.assumingMemoryBound(to: redisReply.self)
        if unsafe reply.pointee.type == REDIS_REPLY_ERROR {
            throw unsafe error(.refused, command, reply.pointee.text)
        }
        return unsafe RedisValue(reply.pointee)
    }

    /// Says that an answer is not of the form that was expected.
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

/// An argument of a command: text, a number or any bytes.
public struct RedisArgument: Sendable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    fileprivate let bytes: Data

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

/// What hiredis knows of a connection, freed with this.
@safe private struct Context: ~Copyable {
    private let pointer: UnsafeMutablePointer<redisContext>

    init(pointer: UnsafeMutablePointer<redisContext>) { unsafe self.pointer = unsafe pointer }

    deinit { unsafe redisFree(pointer) }

    /// What hiredis says if something is wrong.
    var problem: String? {
        guard unsafe pointer.pointee.err != 0 else { return nil }
        // An array of C, which ends with a zero.
        return unsafe withUnsafeBytes(of: &pointer.pointee.errstr) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Sends a command, and waits for the answer.
    ///
    /// - Returns: A `redisReply` that the caller frees; nil if the connection broke.
    func send(_ words: [RedisArgument]) -> UnsafeMutableRawPointer? {
        var lengths = words.map(\.bytes.count)
        var bytes = Data()
        for word in words { bytes.append(word.bytes) }
        // Each word is inside `bytes`, which lives until the call returns.
        return unsafe bytes.withUnsafeBytes { buffer in
            var start = unsafe buffer.assumingMemoryBound(to: CChar.self).baseAddress
            var starts = unsafe [UnsafePointer<CChar>?]()
            for length in lengths {
                unsafe starts.append(start)
                unsafe start = start?.advanced(by: length)
            }
            return unsafe redisCommandArgv(pointer, Int32(words.count), &starts, &lengths)
        }
    }
}

extension redisReply {
    /// The text of a status, an error or a string.
    fileprivate var text: String { unsafe String(decoding: bytes, as: UTF8.self) }

    fileprivate var bytes: Data { unsafe str.map { unsafe Data(bytes: $0, count: len) } ?? Data() }
}

extension RedisValue {
    /// Copies an answer, with the answers in it.
    fileprivate init(_ reply: redisReply) {
        switch unsafe reply.type {
        case REDIS_REPLY_NIL: self = .null
        case REDIS_REPLY_INTEGER: self = unsafe .integer(Int(reply.integer))
        case REDIS_REPLY_ARRAY:
            // hiredis frees the elements with the array.
            let elements = unsafe UnsafeBufferPointer(start: reply.element, count: reply.elements)
            self = .array(unsafe elements.map { unsafe $0.map { unsafe RedisValue($0.pointee) } ?? .null })
        default: self = unsafe .bytes(reply.bytes)
        }
    }
}

/// Whether a write to a closed socket is an error and not the end of the process; set once.
private let ignoresBrokenPipes: Bool = {
    signal(SIGPIPE, SIG_IGN)
    return true
}()

/// Runs an actor on a queue, so that it may wait there.
private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
