// A client that reads when it is asked to, and no more: a plain socket.
import Foundation

/// A connection that has asked for events, and has received the beginning of the answer.
final class Follower: Sendable {
    private let socket: FileHandle

    /// Connects, with as little room for what it does not read as the system allows.
    init(_ port: Int) async throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor = Foundation.socket(AF_INET, kind, 0)
        socket = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var size: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        try socket.write(contentsOf: Data("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
        read(upTo: 1)
    }

    /// Reads the first event to its end, so that nothing is left to read of a board that does not change.
    func readSnapshot() {
        var text = ""
        // After the event comes the end of the chunk that it is in.
        while !text.contains("\n\n\r\n") {
            let bytes = socket.availableData
            if bytes.isEmpty { return }
            text += String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Waits for something to read, and reads up to a number of bytes of it.
    func read(upTo count: Int) { _ = try? socket.read(upToCount: count) }

    func close() { try? socket.close() }
}
