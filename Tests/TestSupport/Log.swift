// What was delivered to a test, as text.
import Foundation
package import KeyValueObserving

/// Lines that a test expects, in order, from any thread.
package final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var contents: [String] = []

    package init() {}

    package var lines: [String] { lock.withLock { contents } }

    package func add(_ line: String) { lock.withLock { contents.append(line) } }

    /// Adds a change, as `prior 0→·` or `0→1`.
    package func add<Value>(_ change: KeyValueObservedChange<Value>, as name: String? = nil) {
        add((name.map { "\($0) " } ?? "") + text(of: change))
    }

    /// What was delivered since the last call.
    package func take() -> [String] {
        lock.withLock {
            defer { contents = [] }
            return contents
        }
    }
}

/// A change as text; an absent value is a dot and nil is nil.
package func text<Value>(of change: KeyValueObservedChange<Value>) -> String {
    func text(_ value: Value?) -> String {
        guard let value else { return "·" }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return "\(value)" }
        return mirror.children.first.map { "\($0.value)" } ?? "nil"
    }
    let kind = change.kind == .setting ? "" : "\(change.kind) "
    return (change.isPrior ? "prior " : "") + kind + text(change.oldValue) + "→" + text(change.newValue)
}
