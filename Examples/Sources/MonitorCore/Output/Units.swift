// Values as people read them.

/// Turns values into short texts with their units.
package enum Units {
    /// What stands for a value that is not known.
    package static let unknown = "–"

    /// A size with a binary unit, such as `3.1 GiB`.
    package static func bytes(_ count: UInt64) -> String {
        let names = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        guard count >= 1024 else { return "\(count) B" }
        var value = Double(count) / 1024
        var unit = 0
        // What would be shown as 1024.0 is shown in the next unit.
        while value >= 1023.95, unit < names.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(fixed(value, decimals: 1)) \(names[unit])"
    }

    /// A fraction in per cent, such as `12.3 %`.
    package static func percent(_ fraction: Double) -> String {
        "\(fixed(fraction * 100, decimals: 1)) %"
    }

    /// A load average, such as `0.52`.
    package static func load(_ average: Double) -> String {
        fixed(average, decimals: 2)
    }

    /// A number that is not negative, with a fixed number of decimals.
    static func fixed(_ value: Double, decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        guard value.isFinite, let scaled = UInt64(exactly: (max(0, value) * scale).rounded()) else {
            return "\(value)"
        }
        guard decimals > 0 else { return "\(scaled)" }
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: UInt64(scale))
        let digits = "\(rest)"
        return "\(whole).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
    }
}
