// Reading stat.

/// How long all processors together did what, in ticks since the machine started.
package struct ProcessorTimes: Equatable, Sendable {
    /// All time.
    package var total: UInt64
    /// The time without work, waiting for input and output included.
    package var idle: UInt64
}

extension ProcessorTimes {
    /// Reads the first line of `stat`, `cpu  user nice system idle iowait irq softirq steal guest guest_nice`.
    ///
    /// Old kernels know the first four times only. The guests' times are part of `user` and `nice` already.
    package init(parsing text: String) throws(MalformedText) {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix("cpu ") }) else { throw MalformedText("no cpu line") }
        let words = line.split(whereSeparator: \.isWhitespace).dropFirst().prefix(8)
        let times = words.compactMap { UInt64($0) }
        guard times.count == words.count, times.count >= 4 else {
            throw MalformedText("the cpu line does not hold four numbers or more")
        }
        total = 0
        for time in times {
            let (sum, overflow) = total.addingReportingOverflow(time)
            guard !overflow else { throw MalformedText("the cpu line is out of range") }
            total = sum
        }
        idle = times[3] + (times.count > 4 ? times[4] : 0)
    }
}
