// What was measured under one name.

/// Samples of one quantity.
struct Figure {
    let name: String
    let unit: Unit
    private(set) var samples: [Double] = []

    enum Unit: String, Encodable {
        /// Of one operation.
        case nanoseconds
        case bytes
        case allocations
    }

    init(_ name: String, _ unit: Unit, _ samples: [Double] = []) {
        self.name = name
        self.unit = unit
        self.samples = samples
    }

    var minimum: Double { samples.min() ?? .nan }

    var median: Double {
        let sorted = samples.sorted()
        guard let upper = sorted.dropFirst(sorted.count / 2).first else { return .nan }
        return sorted.count.isMultiple(of: 2) ? (sorted[sorted.count / 2 - 1] + upper) / 2 : upper
    }

    /// The operation: what stands before the slash.
    var operation: String { String(name.prefix { $0 != "/" }) }

    /// Who performs it: what stands behind the slash.
    var contender: String { String(name.drop { $0 != "/" }.dropFirst()) }

    mutating func add(_ sample: Double) { samples.append(sample) }
}
