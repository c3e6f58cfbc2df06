// The calls of hiredis.
import CHiredis
import Foundation

/// A connection of hiredis, closed at the end of this value.
///
/// No memory that hiredis allocates leaves this file.
@safe struct Context: ~Copyable {
    /// The answer to a command.
    enum Answer {
        case value(RedisValue)
        case refused(String)
    }

    /// The connection, freed only at the end.
    private let pointer: UnsafeMutablePointer<redisContext>

    /// Connects to a server; ``problem`` is nil if that succeeded.
    ///
    /// - Returns: Nil if memory is exhausted.
    init?(connectingTo address: RedisAddress, within timeout: Duration) {
        _ = ignoresBrokenPipes
        let (seconds, attoseconds) = timeout.components
        let limit = timeval(tv_sec: Int(seconds), tv_usec: .init(attoseconds / 1_000_000_000_000))
        guard let pointer = unsafe redisConnectWithTimeout(address.host, Int32(address.port), limit) else { return nil }
        unsafe self.pointer = unsafe pointer
        if unsafe pointer.pointee.err == 0 { unsafe redisSetTimeout(pointer, limit) }
    }

    deinit { unsafe redisFree(pointer) }

    /// The error message of hiredis, if there is one.
    var problem: String? {
        guard unsafe pointer.pointee.err != 0 else { return nil }
        // An array of C, which ends with a zero.
        return unsafe withUnsafeBytes(of: &pointer.pointee.errstr) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Sends a command, and waits for the answer; nil if the connection broke.
    func execute(_ words: [RedisArgument]) -> Answer? {
        var lengths = words.map(\.bytes.count)
        var bytes = Data()
        for word in words { bytes.append(word.bytes) }
        // Each word is inside `bytes`, which lives until the call returns.
        let answer = unsafe bytes.withUnsafeBytes { buffer in
            var start = unsafe buffer.assumingMemoryBound(to: CChar.self).baseAddress
            var starts = unsafe [UnsafePointer<CChar>?]()
            for length in lengths {
                unsafe starts.append(start)
                unsafe start = start?.advanced(by: length)
            }
            return unsafe redisCommandArgv(pointer, Int32(words.count), &starts, &lengths)
        }
        guard let answer = unsafe answer else { return nil }
        // This also frees nested answers.
        defer { unsafe freeReplyObject(answer) }
        let reply = unsafe answer.assumingMemoryBound(to: redisReply.self).pointee
        return unsafe reply.type == REDIS_REPLY_ERROR
            ? unsafe .refused(String(decoding: reply.bytes, as: UTF8.self)) : unsafe .value(RedisValue(reply))
    }
}

extension redisReply {
    /// A copy of the bytes of a string, a status or an error.
    fileprivate var bytes: Data { unsafe str.map { unsafe Data(bytes: $0, count: len) } ?? Data() }
}

extension RedisValue {
    /// Copies an answer, with nested answers.
    fileprivate init(_ reply: redisReply) {
        switch unsafe reply.type {
        case REDIS_REPLY_NIL: self = .null
        case REDIS_REPLY_INTEGER: self = unsafe .integer(Int(reply.integer))
        case REDIS_REPLY_ARRAY:
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
