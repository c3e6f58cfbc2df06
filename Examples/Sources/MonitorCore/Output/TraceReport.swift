// What was traced of a run.
import KeyValueObservingTrace

/// What handlers were called how often in a run that was traced, and why the last one was.
enum TraceReport {
    /// How many lines there are of each kind.
    private static let most = 8

    /// The lines, with a heading.
    static var lines: [Line] {
        let events = KeyValueTrace.events
        return [Line(heading: "trace")] + counts(of: .delivery, "called", in: events)
            + counts(of: .evaluation, "read", in: events) + explanation(in: events)
    }

    /// What happened most often.
    private static func counts(
        of kind: KeyValueTrace.Kind, _ verb: String, in events: [KeyValueTrace.Event]
    ) -> [Line] {
        let places = events.filter { $0.kind == kind }.map { event in
            let place = event.fileID.map { " at \($0):\(event.line ?? 0)" } ?? ""
            return "\(event.keyPath ?? "") of \(event.object?.typeName ?? "")\(place)"
        }
        let counts = Dictionary(places.map { ($0, 1) }, uniquingKeysWith: +)
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(most).map { place, count in
            Line("\(verb) \(count) times", place)
        }
    }

    /// Why the last handler was called.
    private static func explanation(in events: [KeyValueTrace.Event]) -> [Line] {
        guard let call = events.last(where: { $0.kind == .delivery }) else { return [] }
        let sentences = KeyValueTrace.explain(call, in: events).split(separator: "\n")
        return sentences.enumerated().map { index, sentence in Line(index == 0 ? "the last one" : "", String(sentence))
        }
    }
}
