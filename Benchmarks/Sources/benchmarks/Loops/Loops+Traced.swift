// Setting a property that one observes, while everything is traced.
import BenchmarkModels
import KeyValueObserving
import KeyValueObservingTrace

extension Loop {
    static var tracedSets: [Loop] {
        [tracedSet("events", valueLength: 0), tracedSet("text", valueLength: 40)]
    }

    /// A loop of sets that are traced.
    ///
    /// - Parameters:
    ///   - contender: What is kept of each set.
    ///   - valueLength: How many characters of each value are kept.
    /// - Returns: The loop.
    private static func tracedSet(_ contender: String, valueLength: Int) -> Loop {
        Loop("set-1-traced/\(contender)") {
            let model = ObservedModel()
            let told = Told()
            let observation = model.observe(\.number, options: [.old, .new]) {
                told.note($1.oldValue ?? -1, $1.newValue ?? -1)
            }
            return { count in
                KeyValueTrace.start(capacity: 1_000, valueLength: valueLength)
                let start = model.number
                repeated(count) { model.number = $0 }
                told.expectSteps(to: count, from: start, observers: 1)
                KeyValueTrace.stop()
                withExtendedLifetime(observation) {}
            }
        }
    }
}
