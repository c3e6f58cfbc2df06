// A list of registrations.
import KeyValueObserving

/// The registrations on a machine and its processes, as lines.
enum ObserverList {
    /// Lists the registrations, paths with the object they begin at.
    static func lines(of machine: Machine) -> [Line] {
        let processes = machine.processes.filter { !$0.observationInfo.isEmpty }
        return [Line(heading: "observers of the machine")]
            + machine.observationInfo.map { line(of: $0, delivered: $0.deliveredCount) }
            + [Line(heading: "observers of \(processes.count) of \(machine.processes.count) processes")]
            + grouped(processes.flatMap(\.observationInfo))
    }

    /// One line for all registrations that were made in the same place.
    private static func grouped(_ infos: [KeyValueObservationInfo]) -> [Line] {
        Dictionary(grouping: infos) { "\($0.fileID):\($0.line)" }.sorted { $0.key < $1.key }.compactMap { group in
            group.value.first.map { line(of: $0, delivered: group.value.reduce(0) { $0 + $1.deliveredCount }) }
        }
    }

    private static func line(of info: KeyValueObservationInfo, delivered: Int) -> Line {
        // Wider than the labels of changes: these are whole paths.
        let keyPath = info.keyPath.padded(to: 24)
        let observer = (info.observer ?? "a token").padded(to: 14)
        let count = "\(delivered)".alignedRight(to: 4)
        let file = info.fileID.description.split(separator: "/").last ?? ""
        return Line(keyPath, "\(observer) \(count) \(delivered == 1 ? "call " : "calls")  \(file):\(info.line)")
    }
}
