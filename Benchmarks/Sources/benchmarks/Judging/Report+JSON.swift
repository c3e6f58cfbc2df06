// The same as JSON, for other programs.
import Foundation

extension Report {
    private struct Measured: Encodable {
        let name: String
        let unit: Figure.Unit
        let minimum: Double
        let median: Double
    }

    private struct Judged: Encodable {
        let measure: String
        let value: Double
        let verdict: Bar.Verdict
    }

    private struct Document: Encodable {
        let figures: [Measured]
        let bars: [Judged]
    }

    /// Figures and bars as one object.
    func json(_ bars: [Bar]) throws -> String {
        let judged = bars.compactMap { bar in
            bar.value(in: figures).flatMap { value in
                bar.verdict(in: figures).map { Judged(measure: bar.measure, value: value, verdict: $0) }
            }
        }
        let measured = inOrder.map {
            Measured(name: $0.name, unit: $0.unit, minimum: $0.minimum, median: $0.median)
        }
        return try encodedAsJSON(Document(figures: measured, bars: judged))
    }
}

/// A value as JSON that a person can read too.
func encodedAsJSON(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
