// What is known of the machine's memory.
import KeyValueCoding
package import KeyValueObserving

/// The memory of a machine; all sizes are in bytes.
package final class Memory: KeyValueCodable {
    package let keyValueRegistrar = KeyValueRegistrar()

    /// All there is.
    package let total: UInt64
    /// How much could be used without swapping.
    @Observed package var available: UInt64
    /// How much is swapped out.
    @Observed package var swapUsed: UInt64

    /// How much is in use, from 0 to 1.
    ///
    /// It declares no dependency: the library sees it read `available`.
    package var usedFraction: Double {
        guard total > 0 else { return 0 }
        return 1 - Double(min(available, total)) / Double(total)
    }

    /// What is reachable by name.
    package static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "total": \Memory.total, "available": \Memory.available, "swapUsed": \Memory.swapUsed,
            "usedFraction": \Memory.usedFraction,
        ]
    }

    package init(_ reading: MemoryReading) {
        total = reading.total
        available = reading.available
        swapUsed = reading.swapUsed
    }

    /// Takes over what a sample says of memory of the same total.
    func update(to reading: MemoryReading) {
        available = reading.available
        swapUsed = reading.swapUsed
    }
}
