// Reading a process's stat.

/// What one process's `stat` says.
package struct ProcessRecord: Equatable, Sendable {
    package var pid: Int
    package var name: String
    package var isKernelThread: Bool
    /// The processors' time used so far, in ticks.
    package var ticks: UInt64
    package var startTime: UInt64
    /// How much of the memory it occupies.
    package var residentBytes: UInt64
}

extension ProcessRecord {
    /// Reads a line such as `5261 (cat) R 5256 …`.
    ///
    /// The name may hold anything, spaces, parentheses and line ends included, so it ends at the last parenthesis.
    package init(parsing text: String) throws(MalformedText) {
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else {
            throw MalformedText("no command name in parentheses")
        }
        guard let pid = Int(text[..<open].filter { !$0.isWhitespace }), pid > 0 else {
            throw MalformedText("no process identifier")
        }
        // proc(5) counts fields from 1; the first one here is the third, the state.
        let fields = text[text.index(after: close)...].split(whereSeparator: \.isWhitespace)
        func number(_ field: Int) throws(MalformedText) -> UInt64 {
            guard field - 3 < fields.count, let number = UInt64(fields[field - 3]) else {
                throw MalformedText("field \(field) is not a number")
            }
            return number
        }
        let (ticks, overflow) = try number(14).addingReportingOverflow(try number(15))
        guard !overflow else { throw MalformedText("fields 14 and 15 are out of range") }
        let startTime = try number(22)
        let (residentBytes, isTooMuch) = try number(24).multipliedReportingOverflow(by: PageSize.bytes)
        guard !isTooMuch else { throw MalformedText("field 24 is out of range") }
        self.pid = pid
        self.name = String(text[text.index(after: open)..<close])
        // PF_KTHREAD
        self.isKernelThread = try number(9) & 0x0020_0000 != 0
        self.ticks = ticks
        self.startTime = startTime
        self.residentBytes = residentBytes
    }
}
