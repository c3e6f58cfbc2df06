// From samples to the model: the only place that writes it.
import KeyValueObserving

/// Brings a machine up to date, sample by sample.
package struct Sampler {
    private let machine: Machine

    package init(_ machine: Machine) {
        self.machine = machine
    }

    /// Applies a sample; the observers of what changes are notified before this returns.
    package func apply(_ snapshot: Snapshot) {
        machine.problems = snapshot.problems
        applyMemory(snapshot.memory)
        machine.load = snapshot.load
        let elapsed = applyTimes(snapshot.times)
        if let records = snapshot.processes { applyProcesses(records, elapsed: elapsed) }
    }

    /// Updates the memory's object, or replaces it when memory was added or removed, or not known before.
    private func applyMemory(_ reading: MemoryReading?) {
        if let reading, let memory = machine.memory, memory.total == reading.total {
            memory.update(to: reading)
        } else {
            machine.memory = reading.map { Memory($0) }
        }
    }

    /// Updates the processor's object, and finds out how much time has passed in ticks; nil if that is not known.
    private func applyTimes(_ times: ProcessorTimes?) -> UInt64? {
        if let times, let processor = machine.processor { return processor.update(to: times) }
        machine.processor = times.map { Processor($0) }
        return nil
    }

    /// Removes the processes that ended, updates those that stay and inserts those that started.
    ///
    /// That is one removal and one insertion at most. The model and the sample are both in the order of identifiers, so
    /// a position in the sample is one in the model, too.
    private func applyProcesses(_ records: [ProcessRecord], elapsed: UInt64?) {
        let startTimes = Dictionary(uniqueKeysWithValues: records.map { ($0.pid, $0.startTime) })
        // An identifier that is used again is two processes: one ended, one started.
        let ended = machine.processes.indices { startTimes[$0.pid] != $0.startTime }
        machine.mutable(\.processes).removeSubranges(ended)

        let staying = Dictionary(uniqueKeysWithValues: machine.processes.map { ($0.pid, $0) })
        for record in records { staying[record.pid]?.update(to: record, elapsed: elapsed) }

        let started = records.indices { staying[$0.pid] == nil }
        machine.mutable(\.processes).insert(contentsOf: records[started].map { RunningProcess($0) }, at: started)

        // Of several that used the same, the first.
        let busiest = machine.processes.max { ($0.cpuFraction ?? 0) < ($1.cpuFraction ?? 0) }
        machine.busiest = busiest.flatMap { ($0.cpuFraction ?? 0) > 0 ? $0 : nil }
    }
}
