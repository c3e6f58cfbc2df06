// Follows every process: a controller whose registrations come and go with the objects they are on.
import KeyValueObserving

/// Says when a process becomes another command.
package final class RenameWatch {
    private let machine: Machine
    private let print: LineSink
    private lazy var kvo = KVOController(observer: self)

    /// Prepares to watch a machine.
    package init(of machine: Machine, to print: @escaping LineSink) {
        self.machine = machine
        self.print = print
    }

    /// Begins to watch, until this object is released.
    package func start() {
        kvo.observe(machine, \.processes, options: [.initial, .old, .new], action: RenameWatch.processesDidChange(_:))
    }

    private func processesDidChange(_ change: KeyValueObservedChange<[RunningProcess]>) {
        // Those that ended are in a removal, those that started in an insertion, and all that run in the initial value.
        for process in change.oldValue ?? [] { kvo.unobserve(process) }
        // The kernel's own threads are renamed with each piece of work they take up.
        for process in change.newValue ?? [] where !process.isKernelThread {
            kvo.observe(process, \.name, options: [.old, .new], action: RenameWatch.nameDidChange(_:of:))
        }
    }

    private func nameDidChange(_ change: KeyValueObservedChange<String>, of process: RunningProcess) {
        guard let old = change.oldValue, let new = change.newValue else { return }
        print(Line("process \(process.pid)", "\(old) → \(new)"))
    }
}
