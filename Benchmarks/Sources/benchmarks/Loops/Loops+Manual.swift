// Setting a property that notifies by hand.
import BenchmarkModels
import KeyValueObserving

extension Loop {
    static var manualChanges: [Loop] {
        [
            Loop("manual-0/observed") {
                let model = ObservedGauge()
                return { count in
                    repeated(count) { model.level = $0 }
                    require(model.level == count, "it is \(model.level)")
                }
            },
            Loop("manual-1/observed") {
                let model = ObservedGauge()
                let told = Told()
                let observation = model.observe(\.level, options: [.old, .new]) {
                    told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                }
                return { count in
                    let start = model.level
                    repeated(count) { model.level = $0 }
                    told.expectSteps(to: count, from: start)
                    withExtendedLifetime(observation) {}
                }
            },
        ]
    }
}
