// What is known of one process.
import KeyValueCoding
package import KeyValueObserving

/// A process, from its start to its end.
package final class RunningProcess: KeyValueCodable {
    package let keyValueRegistrar = KeyValueRegistrar()

    /// The process identifier.
    package let pid: Int
    /// When the process started, in ticks since the machine did.
    ///
    /// A process that has the identifier of an earlier one started later.
    package let startTime: UInt64
    /// Whether the kernel made it for itself.
    package let isKernelThread: Bool
    /// The command's name, which changes when the process executes another.
    @Observed package private(set) var name: String
    /// How much of all processors' time it used between the last two samples, from 0 to 1; nil until there are two.
    @Observed package private(set) var cpuFraction: Double?
    /// How much of the memory it occupies, what it shares with others included.
    @Observed package private(set) var residentBytes: UInt64
    private var ticks: UInt64

    /// Name and identifier, `swift-build (4711)`.
    package var title: String { "\(name) (\(pid))" }

    /// What is reachable by name.
    package static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "pid": \RunningProcess.pid, "startTime": \RunningProcess.startTime,
            "isKernelThread": \RunningProcess.isKernelThread, "name": \RunningProcess.name,
            "title": \RunningProcess.title, "cpuFraction": \RunningProcess.cpuFraction,
            "residentBytes": \RunningProcess.residentBytes,
        ]
    }

    package init(_ record: ProcessRecord) {
        pid = record.pid
        startTime = record.startTime
        isKernelThread = record.isKernelThread
        name = record.name
        residentBytes = record.residentBytes
        ticks = record.ticks
    }

    /// Takes over what a sample says of the same process.
    ///
    /// Equal values are not set, because an observed sum over all processes would be calculated anew for each.
    ///
    /// - Parameters:
    ///   - record: What the sample says.
    ///   - elapsed: The time since the sample before, in ticks of all processors; nil if it is not known.
    func update(to record: ProcessRecord, elapsed: UInt64?) {
        if name != record.name { name = record.name }
        if residentBytes != record.residentBytes { residentBytes = record.residentBytes }
        guard elapsed != 0 else { return }
        let used = record.ticks > ticks ? record.ticks - ticks : 0
        ticks = record.ticks
        let fraction = elapsed.map { min(1, Double(used) / Double($0)) }
        if cpuFraction != fraction { cpuFraction = fraction }
    }
}

extension RunningProcess: CustomStringConvertible {
    package var description: String { title }
}
