// Sums a run up: a controller with one handler for several key paths.
import KeyValueObserving

/// Remembers what a machine went through.
package final class Summary {
    /// A value whose extremes are remembered.
    private struct Extremes {
        let keyPath: AnyKeyPath
        let label: String
        let format: (Double) -> String
        var range: ClosedRange<Double>?

        mutating func include(_ value: Double) {
            range = range.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
        }
    }

    private var extremes = [
        Extremes(keyPath: \Machine.memory?.usedFraction, label: "memory.usedFraction", format: Units.percent),
        Extremes(keyPath: \Machine.load?.one, label: "load", format: Units.load),
        Extremes(keyPath: \Machine.processor?.busyFraction, label: "cpu.busyFraction", format: Units.percent),
    ]
    private var hasProcesses = false
    private var startedCount = 0
    private var endedCount = 0
    private var problemCount = 0
    private lazy var kvo = KVOController(observer: self)

    package init() {}

    /// Begins to observe a machine, until this object is released.
    package func observe(_ machine: Machine) {
        kvo.observe(
            machine, keyPaths: [\.memory?.usedFraction, \.load?.one, \.processor?.busyFraction], options: .new
        ) { summary, _, change in
            guard let value = change.newValue as? Double,
                let index = summary.extremes.firstIndex(where: { $0.keyPath == change.keyPath })
            else { return }
            summary.extremes[index].include(value)
        }
        kvo.observe(machine, \.processes, options: [.old, .new]) { summary, _, change in
            // What the first sample finds was running before.
            if summary.hasProcesses { summary.startedCount += change.newValue?.count ?? 0 }
            summary.endedCount += change.oldValue?.count ?? 0
            summary.hasProcesses = true
        }
        kvo.observe(machine, \.problems, options: [.old, .new]) { summary, _, change in
            summary.problemCount += change.requiredNewValue.count { !change.requiredOldValue.contains($0) }
        }
    }

    /// The summary, line by line.
    ///
    /// - Parameters:
    ///   - taken: How many samples were taken.
    ///   - count: How many there were to take.
    ///   - alarms: How many warnings there were.
    /// - Returns: A heading and the lines under it.
    package func lines(taken: Int, of count: Int, alarms: Int) -> [Line] {
        let ranges = extremes.map { extreme in
            let text = extreme.range.map { "\(extreme.format($0.lowerBound)) to \(extreme.format($0.upperBound))" }
            return Line(extreme.label, text ?? Units.unknown)
        }
        return [Line(heading: "summary"), Line("samples", taken == count ? "\(taken)" : "\(taken) of \(count)")]
            + ranges + [
                Line("processes", "\(startedCount) started, \(endedCount) ended"),
                Line("alarms", "\(alarms)"),
                Line("problems", "\(problemCount)"),
            ]
    }
}
