// Follows every process: one call for all that are there, and all that come.
import KeyValueObserving

/// Says when a process becomes another command.
package final class RenameWatch {
    private let print: LineSink
    private lazy var kvo = KVOController(observer: self)

    /// Begins to watch a machine, until this object is released.
    package init(of machine: Machine, to print: @escaping LineSink) {
        self.print = print
        kvo.observe(machine, eachOf: \.processes, \.name, options: [.old, .new]) { watch, _, process, change in
            // The kernel's own threads are renamed with each piece of work they take up.
            if process.isKernelThread { return }
            watch.print(
                Line("process \(process.pid)", "\(change.requiredOldValue) → \(change.requiredNewValue)"))
        }
    }
}
