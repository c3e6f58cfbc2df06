// What the tests of Foundation's classes note.
import Foundation
import KeyValueObserving

/// What was delivered to a test, as text: "0→1"; on any thread.
final class Log: Sendable {
    private let lines = Guarded<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    func add<Value>(_ change: KeyValueObservedChange<Value>, as name: String = "") {
        func text(_ value: Value?) -> String {
            guard let value else { return "·" }
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .optional else { return "\(value)" }
            return mirror.children.first.map { "\($0.value)" } ?? "nil"
        }
        add(name + (name.isEmpty ? "" : " ") + text(change.oldValue) + "→" + text(change.newValue))
    }

    /// What was delivered since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}
