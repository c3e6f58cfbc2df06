// Setting one of two properties that a computed one, which is observed, reads.
import BenchmarkModels
import KeyValueObserving
import Observation

extension Loop {
    static var dependents: [Loop] {
        [
            Loop("dependent/observed") {
                let model = ObservedSum()
                let told = Told()
                model.second = 10
                let observation = model.observe(\.sum, options: [.old, .new]) {
                    told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                }
                return { count in
                    let start = model.first
                    repeated(count) { model.first = $0 }
                    told.expectSteps(to: count, from: start, offset: 10)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("dependent/observation") {
                let model = ObservableSum()
                let told = Told()
                model.second = 10
                track(model, told)
                return { count in
                    let start = model.first
                    told.reset()
                    repeated(count) { value in
                        model.first = start + value
                        withObservationTracking {
                            told.read(model.sum)
                        } onChange: {
                            told.note()
                        }
                    }
                    told.expectSteps(to: count, from: nil, offset: start + 10)
                }
            },
        ]
    }
}

private func track(_ model: ObservableSum, _ told: Told) {
    withObservationTracking {
        told.read(model.sum)
    } onChange: {
        told.note()
    }
}
