// Follows key paths that are known only when the program runs: a controller that observes by name.
import KeyValueCoding
import KeyValueObserving

/// Prints old and new values of key paths that are strings.
package final class KeyPathWatch {
    private let print: LineSink
    private lazy var kvo = KVOController(observer: self)

    package init(to print: @escaping LineSink) {
        self.print = print
    }

    /// Begins to watch a key path of a machine, until this object is released; one that is watched already stays so.
    ///
    /// A key path that leads nowhere is found out even if the machine knows nothing yet.
    ///
    /// - Parameters:
    ///   - keyPath: Keys and operators, separated by dots.
    ///   - machine: The machine.
    /// - Throws: What the library says of a key path that cannot be observed.
    package func watch(_ keyPath: String, of machine: Machine) throws {
        try KVOController(observer: self).observe(Machine.specimen(), keyPath: keyPath) { _, _, _ in }
        try kvo.observe(machine, keyPath: keyPath, options: [.old, .new]) { watch, _, change in watch.tell(change) }
    }

    private func tell(_ change: KeyValueObservedChange<Any>) {
        let keyPath = change.name
        if let text = change.elementsText(ValueText.elements(of:)) {
            return print(Line("watch", "\(keyPath): \(text)"))
        }
        let (old, new) = (ValueText.of(change.oldValue), ValueText.of(change.newValue))
        // A value is delivered whenever something on the way to it is set; what looks equal is left out.
        if old != new { print(Line("watch", "\(keyPath): \(old) → \(new)")) }
    }
}
