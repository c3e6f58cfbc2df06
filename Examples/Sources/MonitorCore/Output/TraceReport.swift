// What was traced of a run.
import KeyValueObservingTrace

/// What handlers were called how often in a run that was traced, and why the last one was.
enum TraceReport {
    /// How many lines there are of each kind.
    private static let most = 8

    /// The lines, with a heading.
    static var lines: [Line] {
        [Line(heading: "trace")] + handlers + evaluations + silent + explanation
    }

    private static var handlers: [Line] {
        KeyValueTrace.handlers.filter { $0.callCount > 0 }.prefix(most).map { handler in
            Line("called \(handler.callCount) times", "\(handler.keyPath) at \(handler.fileID):\(handler.line)")
        }
    }

    private static var evaluations: [Line] {
        KeyValueTrace.evaluations.sorted { $0.count > $1.count }.prefix(most).map { evaluation in
            let unchanged = evaluation.unchangedCount == 0 ? "" : ", \(evaluation.unchangedCount) times the same"
            return Line("read \(evaluation.count) times", "\(evaluation.keyPath) of \(evaluation.typeName)\(unchanged)")
        }
    }

    private static var silent: [Line] {
        KeyValueTrace.silentRegistrations.prefix(most).map { registration in
            Line("never called", "\(registration.keyPath) at \(registration.fileID):\(registration.line)")
        }
    }

    /// Why the last handler was called.
    private static var explanation: [Line] {
        let events = KeyValueTrace.events
        guard let call = events.last(where: { $0.kind == .delivery }) else { return [] }
        let sentences = KeyValueTrace.explain(call, in: events).split(separator: "\n")
        return sentences.enumerated().map { index, sentence in Line(index == 0 ? "the last one" : "", String(sentence))
        }
    }
}
