// A bar that is drawn by observers alone.
import Foundation
import KeyValueObserving
import KeyValueObservingFoundation

/// Shows how far a `Progress` is: a bar on a terminal, and a line for each tenth elsewhere.
@MainActor
final class ProgressBar {
    private lazy var kvo = KVOController(observer: self)
    private let isTerminal: Bool
    private let write: (String) -> Void

    init(onTerminal isTerminal: Bool, write: @escaping (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    /// Shows a progress until it ends or the bar does.
    func show(_ progress: NotifyingProgress) {
        let text = isTerminal ? Self.bar : Self.tenth
        kvo.onChange(progress, reading: { text($0.fraction) }, initial: true) { bar, _, text in bar.write(text) }
        kvo.onChange(progress, \.isFinished) { bar, _, isFinished in
            if isFinished, bar.isTerminal { bar.write("\n") }
        }
    }

    private static func tenth(_ fraction: Double) -> String { "\(Int(fraction * 10 + 1e-6) * 10) %\n" }

    /// Such as `[#####...............]  25 %`, over what the line showed before.
    static func bar(_ fraction: Double) -> String {
        let (width, percent) = (40, Int(fraction * 100 + 1e-6))
        let filled = percent * width / 100
        let number = String(repeating: " ", count: percent < 10 ? 2 : percent < 100 ? 1 : 0) + "\(percent)"
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return "\r[\(bar)] \(number) %"
    }
}
