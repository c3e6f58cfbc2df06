// A whole run: what `monitor` does, without the process around it.
import KeyValueObservingTrace

/// Takes samples of a machine while observers report on it, and sums up.
package final class MonitorRun {
    private let source: ProcSource
    private let print: LineSink
    private let machine = Machine()
    private let reporter: Reporter
    private let alarm: ThresholdAlarm
    private let renames: RenameWatch
    private let keyPaths: KeyPathWatch
    private let summary = Summary()

    /// Whether what happens is traced.
    private let isTraced: Bool
    /// The width of reports.
    private let columns: () -> Int

    /// Sets up a machine and its observers.
    ///
    /// - Parameters:
    ///   - source: Where the samples come from.
    ///   - isTraced: Whether to trace the run, and to print a report before the summary.
    ///   - columns: How many columns the lines of reports have.
    ///   - print: Takes the lines.
    package init(
        source: ProcSource, tracing isTraced: Bool = false, columns: @autoclosure @escaping () -> Int = 80,
        to print: @escaping LineSink
    ) {
        if isTraced { KeyValueTrace.start(valueLength: 40) }
        (self.isTraced, self.columns) = (isTraced, columns)
        self.source = source
        self.print = print
        reporter = Reporter(of: machine, to: print)
        alarm = ThresholdAlarm(to: print)
        alarm.watch(machine)
        renames = RenameWatch(of: machine, to: print)
        keyPaths = KeyPathWatch(to: print)
        summary.observe(machine)
    }

    /// Prints each change of a key path, too.
    ///
    /// - Parameter keyPath: Keys and operators, separated by dots, from the machine on.
    /// - Throws: A sentence about a key path that cannot be observed.
    package func watch(_ keyPath: String) throws {
        try keyPaths.watch(keyPath, of: machine)
    }

    /// Takes the samples, then prints the summary.
    ///
    /// - Parameters:
    ///   - samples: How many to take; a recording may have fewer.
    ///   - listsObservers: Whether to print a list of registrations before the summary.
    ///   - pause: Called between two samples. Returns whether to go on.
    package func run(samples: Int, listsObservers: Bool, pause: () -> Bool) {
        let count = source.available(of: samples)
        let sampler = Sampler(machine)
        var taken = 0
        while taken < count, taken == 0 || pause() {
            taken += 1
            print(Line(heading: "sample \(taken) of \(count)"))
            sampler.apply(source.tree(forSample: taken).read())
        }
        var reports: [Line] = []
        if isTraced {
            reports += TraceReport.lines
            KeyValueTrace.stop()
        }
        if listsObservers { reports += ObserverList.lines(of: machine) }
        reports.flatMap { [width = columns()] in $0.wrapped(to: width) }.forEach(print)
        summary.lines(taken: taken, of: count, alarms: alarm.raisedCount).forEach(print)
    }
}
