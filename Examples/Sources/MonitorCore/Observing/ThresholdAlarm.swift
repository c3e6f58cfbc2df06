// Warns when a value crosses a threshold, either way: a controller with a handler and an action.
import KeyValueObserving

/// Says once when much of a resource is used, and once when it is free again.
package final class ThresholdAlarm {
    /// How much of the memory is much.
    package static let memoryLimit = 0.9
    /// How much of the processors' time is much.
    package static let processorLimit = 0.9

    /// How often there was a warning.
    package private(set) var raisedCount = 0
    private let print: LineSink
    private var exceeded: Set<String> = []
    private lazy var kvo = KVOController(observer: self)

    package init(to print: @escaping LineSink) {
        self.print = print
    }

    /// Begins to watch a machine, until this object is released.
    package func watch(_ machine: Machine) {
        kvo.onChange(machine, \.memory?.usedFraction) { alarm, _, fraction in
            alarm.check(fraction, of: "memory.usedFraction", against: Self.memoryLimit)
        }
        kvo.perform(ThresholdAlarm.processorDidChange(_:of:), onChangeOf: machine, \.processor?.busyFraction)
    }

    private func processorDidChange(_ change: KeyValueObservedChange<Double?>, of machine: Machine) {
        check(machine.processor?.busyFraction, of: "cpu.busyFraction", against: Self.processorLimit)
    }

    /// Compares a value with its limit; of a value that is not known nothing is said.
    private func check(_ value: Double?, of label: String, against limit: Double) {
        guard let value, (value >= limit) != exceeded.contains(label) else { return }
        if value >= limit {
            exceeded.insert(label)
            raisedCount += 1
            print(Line("alarm", "\(label) is \(Units.percent(value)), over \(Units.percent(limit))", .alarm))
        } else {
            exceeded.remove(label)
            print(Line("all clear", "\(label) is \(Units.percent(value)), under \(Units.percent(limit))", .relief))
        }
    }
}
