// Changes that this library delivers in other ways than from a plain set: in place, by a controller, inherited.
import BenchmarkModels
import KeyValueObserving

extension Loop {
    static var otherDeliveries: [Loop] {
        [
            Loop("add-1/observed") {
                let model = ObservedModel()
                let told = Told()
                let observation = model.observe(\.number, options: [.old, .new]) {
                    told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                }
                return { count in
                    model.number = 0
                    told.reset()
                    repeated(count) { _ in model.number += 1 }
                    told.expectSteps(to: count, from: 0)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("append-observed-1000/observed") {
                let model = ObservedItems(Array(repeating: 0, count: 1_000))
                let told = Told()
                let observation = model.observe(\.items, options: .new) {
                    told.note($1.newValue?.last ?? -1)
                }
                return { count in
                    model.items = Array(repeating: 0, count: 1_000)
                    told.reset()
                    repeated(count) { index in model.items.append(index) }
                    told.expect(deliveries: count, news: count * (count + 1) / 2)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("set-controller/observed") {
                let model = ObservedModel()
                let told = Told()
                let controller = KVOController(observer: told)
                controller.observe(model, \.number, options: [.old, .new]) { told, _, change in
                    told.note(change.oldValue ?? -1, change.newValue ?? -1)
                }
                return { count in
                    let start = model.number
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: start)
                    withExtendedLifetime(controller) {}
                }
            },
            Loop("set-inherited/observed") {
                let model = ObservedDerived()
                let told = Told()
                let observation = model.observe(\.number, options: [.old, .new]) {
                    told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                }
                return { count in
                    let start = model.number
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: start)
                    withExtendedLifetime(observation) {}
                }
            },
        ]
    }
}
