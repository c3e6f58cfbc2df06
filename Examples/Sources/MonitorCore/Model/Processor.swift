// What is known of the machine's processors.
import KeyValueCoding
package import KeyValueObserving

/// All processors of a machine together.
package final class Processor: KeyValueCodable {
    package let keyValueRegistrar = KeyValueRegistrar()

    /// How much of the time between the last two samples was spent working, from 0 to 1; nil until there are two.
    @Observed package private(set) var busyFraction: Double?
    private var times: ProcessorTimes

    /// What is reachable by name.
    package static var keyPathsByKey: [String: AnyKeyPath] { ["busyFraction": \Processor.busyFraction] }

    package init(_ times: ProcessorTimes) {
        self.times = times
    }

    /// Takes over a sample's times.
    ///
    /// - Returns: The time since the sample before, in ticks of all processors; nil if the counters were set back.
    func update(to new: ProcessorTimes) -> UInt64? {
        let old = times
        // Two samples in the same tick say nothing.
        if new.total == old.total { return 0 }
        times = new
        guard new.total > old.total else {
            busyFraction = nil
            return nil
        }
        let elapsed = new.total - old.total
        // The kernel's idle counters are not exact: they may run back, or ahead of the total.
        let idle = new.idle > old.idle ? min(new.idle - old.idle, elapsed) : 0
        busyFraction = Double(elapsed - idle) / Double(elapsed)
        return elapsed
    }
}
