// Several changes as one, and one property that follows another.
import BenchmarkModels
import KeyValueObserving
import OpenCombine

extension Loop {
    static var transactions: [Loop] {
        [
            Loop("transaction-10/observed") {
                let model = ObservedModel()
                let told = Told()
                let observation = model.observe(\.number, options: [.old, .new]) {
                    told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                }
                return { count in
                    let start = model.number
                    repeated(count) { index in
                        withKeyValueTransaction {
                            for step in 1...10 { model.number = step == 10 ? index : -step }
                        }
                    }
                    told.expectSteps(to: count, from: start)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("transaction-10-properties/observed") {
                let model = ObservedRow()
                let told = Told()
                let observations = ObservedRow.columns.map { column in
                    model.observe(column, options: [.old, .new]) {
                        told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                    }
                }
                var last = 0
                return { count in
                    repeated(count) { index in withKeyValueTransaction { model.set(index) } }
                    told.expectSteps(to: count, from: last, observers: 10)
                    last = count
                    withExtendedLifetime(observations) {}
                }
            },
        ]
    }

    static var bindings: [Loop] {
        [
            Loop("bind/closure") {
                let (model, target) = (CallbackModel(), CallbackModel())
                let told = Told()
                model.numberHandler = { target.number = $1 }
                target.numberHandler = { told.note($0, $1) }
                return { count in
                    let start = model.number
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: start)
                }
            },
            Loop("bind/observed") {
                let (model, target) = (ObservedModel(), ObservedModel())
                let told = Told()
                let tokens = [
                    model.bind(\.number, to: target, \.number),
                    target.observe(\.number, options: [.old, .new]) {
                        told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                    },
                ]
                return { count in
                    let start = model.number
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: start)
                    withExtendedLifetime((tokens, target)) {}
                }
            },
            Loop("bind/published") {
                let (model, target) = (PublishedModel(), PublishedModel())
                let told = Told()
                let assignment = model.$number.assign(to: \.number, on: target)
                let sink = target.$number.dropFirst().sink { told.note($0) }
                return { count in
                    told.reset()
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: nil)
                    withExtendedLifetime((assignment, sink)) {}
                }
            },
        ]
    }
}
