// Who observes what, as text for people.
public import KeyValueObserving

extension KeyValueObservable {
    /// A list of the registrations on this object, one line for each, or a sentence that nobody observes it.
    ///
    /// ```
    /// 2 registrations on Person:
    ///   age          [new, old]  Screen  App/Screen.swift:12  delivered 3
    ///   friend.name  []          –       App/main.swift:7     delivered 0
    /// ```
    ///
    /// The columns are those of `observationInfo`: the key path, the options, for whom the registration was made
    /// (`KeyValueObservationInfo.observer`), where it was made, and how often the handler was called. Safe from any
    /// thread.
    public var observationDescription: String {
        let rows = observationInfo.map { info in
            [
                info.keyPath, "\(info.options)", info.observer ?? "–", "\(info.fileID):\(info.line)",
                info.countsText,
            ]
        }
        guard let first = rows.first else { return "Nobody observes this \(TypeName.of(self))." }
        let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "  " + padded.dropLast().joined(separator: "  ") + "  " + row[row.count - 1]
        }
        let count = rows.count == 1 ? "1 registration" : "\(rows.count) registrations"
        return "\(count) on \(TypeName.of(self)):\n" + lines.joined(separator: "\n")
    }
}
