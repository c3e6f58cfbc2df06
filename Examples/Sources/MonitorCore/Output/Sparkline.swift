// A history as a row of bars.

/// The last values of a share, from 0 to 1, one bar for each: `▁▁▃█▆`.
struct Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")
    private static let width = 24

    private(set) var text = ""

    mutating func add(_ value: Double) {
        let bar = Int((min(max(value, 0), 1) * Double(Self.bars.count - 1)).rounded())
        text = String(text.suffix(Self.width - 1)) + String(Self.bars[bar])
    }
}
