// Prints what changes, one line for each change that shows: observing with tokens.
import KeyValueObserving

/// Prints old and new values of a machine's properties, for as long as it lives.
package final class Reporter {
    private let print: LineSink
    /// The registrations, which end with this object.
    private var observations: Set<KeyValueObservation> = []

    /// Begins to report.
    package init(of machine: Machine, to print: @escaping LineSink) {
        self.print = print
        machine.observe(\.problems, options: [.old, .new, .distinct]) { _, change in
            for problem in change.requiredNewValue where !change.requiredOldValue.contains(problem) {
                print(Line("problem", "\(problem)", .problem))
            }
        }.store(in: &observations)

        // Paths through an object that the sampler replaces, and that may be missing altogether.
        report(\.memory?.available, of: machine, as: "memory.available", Units.bytes)
        report(\.memory?.usedFraction, of: machine, as: "memory.usedFraction", Units.percent, drawing: { $0 })
        report(\.memory?.swapUsed, of: machine, as: "memory.swapUsed", Units.bytes)
        // A path into a struct is delivered whenever the struct is set. Whether this part changed is for us to check.
        report(\.load?.one, of: machine, as: "load", Units.load)
        report(\.processor?.busyFraction, of: machine, as: "cpu.busyFraction", Units.percent, drawing: { $0 })

        machine.observe(\.processes, options: [.old, .new]) { _, change in
            // What came and went is delivered by itself, with its positions.
            if let text = change.elementsText({ $0.map(\.title) }) { print(Line("processes", text)) }
        }.store(in: &observations)
        report(\.busiest?.cpuFraction, of: machine, as: "busiest.cpuFraction", Units.percent) { machine in
            machine.busiest.map { "  \($0.title)" } ?? ""
        }
    }

    /// Reports a value that may be missing, whenever the text of it changes; with the bars of a share that is drawn.
    private func report<Value: Equatable>(
        _ keyPath: KeyPath<Machine, Value?>, of machine: Machine, as label: String,
        _ format: @escaping (Value) -> String, line: UInt = #line, remark: @escaping (Machine) -> String = { _ in "" },
        drawing share: ((Value) -> Double)? = nil
    ) {
        func text(_ value: Value?) -> String { value.map(format) ?? Units.unknown }
        var bars = Sparkline()
        // What is drawn has a bar for each sample, equal ones too.
        let options: KeyValueObservingOptions = share == nil ? [.old, .new, .distinct] : [.old, .new]
        machine.observe(keyPath, options: options, line: line) { [print] machine, change in
            if let share, let value = change.requiredNewValue { bars.add(share(value)) }
            let (before, after) = (text(change.requiredOldValue), text(change.requiredNewValue))
            // The library leaves out equal values, this leaves out those that only look equal.
            guard before != after else { return }
            print(Line(label, Self.step(before, after) + (share == nil ? "" : "  \(bars.text)") + remark(machine)))
        }.store(in: &observations)
    }

    /// Old → new, in columns.
    private static func step(_ old: String, _ new: String) -> String {
        "\(old.alignedRight(to: 10)) → \(new.alignedRight(to: 10))"
    }
}
