// A terminal that nobody sits at.
import Foundation

/// A terminal with a width, for the output of a process.
final class Terminal {
    private let outside: FileHandle
    /// What the process writes to.
    let inside: FileHandle

    init(columns: Int) throws {
        var (outside, inside) = (Int32(0), Int32(0))
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&outside, &inside, nil, nil, &size) == 0 else { throw POSIXError(.ENXIO) }
        self.outside = FileHandle(fileDescriptor: outside, closeOnDealloc: true)
        self.inside = FileHandle(fileDescriptor: inside, closeOnDealloc: true)
    }

    /// What is written until all processes have closed it.
    func text() -> String {
        try? inside.close()
        var bytes = Data()
        // Once the other end is closed, reading fails.
        while let more = try? outside.read(upToCount: 1), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }
}
