// Reading meminfo.

/// What one `meminfo` says; all sizes are in bytes.
package struct MemoryReading: Equatable, Sendable {
    package var total: UInt64
    package var available: UInt64
    package var swapUsed: UInt64
}

extension MemoryReading {
    /// Reads lines such as `MemTotal:       24684096 kB`, in any order, among others.
    package init(parsing text: String) throws(MalformedText) {
        var sizes: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            sizes[line[..<colon]] = line[line.index(after: colon)...]
        }
        total = try Self.bytes("MemTotal", in: sizes)
        available = try Self.bytes("MemAvailable", in: sizes)
        guard total > 0 else { throw MalformedText("MemTotal is 0") }
        // A kernel without swap may leave these out.
        let swapTotal = sizes["SwapTotal"] == nil ? 0 : try Self.bytes("SwapTotal", in: sizes)
        let swapFree = sizes["SwapFree"] == nil ? 0 : try Self.bytes("SwapFree", in: sizes)
        swapUsed = swapTotal > swapFree ? swapTotal - swapFree : 0
    }

    private static func bytes(_ key: Substring, in sizes: [Substring: Substring]) throws(MalformedText) -> UInt64 {
        guard let size = sizes[key] else { throw MalformedText("no \(key) line") }
        let words = size.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, words[1] == "kB", let kibibytes = UInt64(words[0]) else {
            throw MalformedText("\(key) is not a number of kB")
        }
        let (bytes, overflow) = kibibytes.multipliedReportingOverflow(by: 1024)
        guard !overflow else { throw MalformedText("\(key) is out of range") }
        return bytes
    }
}
