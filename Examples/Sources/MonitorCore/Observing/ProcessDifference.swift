// What changed between two lists of processes.

/// The processes that started and ended between two samples.
///
/// An identifier that is used again is two processes: one ended, one started.
struct ProcessDifference {
    let started: [RunningProcess]
    let ended: [RunningProcess]

    init(from old: [RunningProcess], to new: [RunningProcess]) {
        let before = Set(old.map(ObjectIdentifier.init))
        let after = Set(new.map(ObjectIdentifier.init))
        started = new.filter { !before.contains(ObjectIdentifier($0)) }
        ended = old.filter { !after.contains(ObjectIdentifier($0)) }
    }

    var isEmpty: Bool { started.isEmpty && ended.isEmpty }

    /// Who came and went, `+ 4711 swift-build, - 4709 cat`.
    var text: String {
        let all = ended.map { "- \($0.title)" } + started.map { "+ \($0.title)" }
        let shown = 4
        let rest = all.count > shown ? ["and \(all.count - shown) more"] : []
        return (all.prefix(shown) + rest).joined(separator: ", ")
    }
}
