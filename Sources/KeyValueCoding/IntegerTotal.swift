// Adding integers without overflow.
import KeyValueObserving

/// A sum of integers of up to 128 bits each, in 192 bits.
struct IntegerTotal {
    /// The two's complement of the sum: its lower 128 bits and those above.
    private var low: UInt128 = 0
    private var high = 0

    /// Adds a number; returns false if it has more than 128 bits.
    mutating func add(_ number: some BinaryInteger) -> Bool {
        guard let magnitude = UInt128(exactly: number.magnitude) else { return false }
        let isNegative = number < 0
        let (result, overflow) =
            isNegative ? low.subtractingReportingOverflow(magnitude) : low.addingReportingOverflow(magnitude)
        low = result
        if overflow { high += isNegative ? -1 : 1 }
        return true
    }

    /// The sum as `Int`, or else as `Int128` or `UInt128`; nil if none of them holds it.
    var value: (any BinaryInteger)? {
        if high == 0 { return Int(exactly: low) ?? Int128(exactly: low) ?? low }
        let negative = Int128(truncatingIfNeeded: low)
        guard high == -1, negative < 0 else { return nil }
        return Int(exactly: negative) ?? negative
    }

    /// The sum as `Double`, rounded.
    var double: Double {
        value.map { Double($0) } ?? Double(high) * 0x1p128 + Double(low)
    }
}
