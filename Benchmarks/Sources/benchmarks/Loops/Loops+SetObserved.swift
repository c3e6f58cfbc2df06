// Setting a property that one, ten and a thousand observe.
import BenchmarkModels
import KeyValueObserving
import Observation
import OpenCombine

extension Loop {
    static var setsObserved: [Loop] {
        let one = Loop("set-1/closure") {
            let model = CallbackModel()
            let told = Told()
            model.numberHandler = { told.note($0, $1) }
            return { count in
                let start = model.number
                repeated(count) { model.number = $0 }
                told.expectSteps(to: count, from: start)
            }
        }
        return [one] + [1, 10, 1_000].flatMap { sets(observers: $0) }
    }

    /// Setting a property that so many observe.
    static func sets(observers: Int) -> [Loop] {
        [
            Loop("set-\(observers)/list") {
                let model = ListModel()
                let told = Told()
                for _ in 0..<observers { _ = model.add { told.note($0, $1) } }
                return { count in
                    let start = model.number
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: start, observers: observers)
                }
            },
            Loop("set-\(observers)/locked-list") {
                let model = LockedListModel()
                let told = Told()
                for _ in 0..<observers { _ = model.add { told.note($0, $1) } }
                return { count in
                    let start = model.number
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: start, observers: observers)
                }
            },
            Loop("set-\(observers)/observed") {
                let model = ObservedModel()
                let told = Told()
                let observations = (0..<observers).map { _ in
                    model.observe(\.number, options: [.old, .new]) {
                        told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                    }
                }
                return { count in
                    let start = model.number
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: start, observers: observers)
                    withExtendedLifetime(observations) {}
                }
            },
            Loop("set-\(observers)/shared") {
                let model = SharedModel()
                let told = Told()
                let observations = (0..<observers).map { _ in
                    model.observe(\.number, options: [.old, .new]) {
                        told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                    }
                }
                return { count in
                    let start = model.number
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: start, observers: observers)
                    withExtendedLifetime(observations) {}
                }
            },
            Loop("set-\(observers)/observation") {
                let model = ObservableModel()
                let told = Told()
                for _ in 0..<observers { track(model, told) }
                return { count in
                    let start = model.number
                    told.reset()
                    repeated(count) { value in
                        model.number = start + value
                        for _ in 0..<observers { track(model, told) }
                    }
                    told.expectSteps(to: count, from: nil, observers: observers, offset: start)
                }
            },
            Loop("set-\(observers)/published") {
                let model = PublishedModel()
                let told = Told()
                let subscriptions = (0..<observers).map { _ in model.$number.sink { told.note($0) } }
                return { count in
                    told.reset()
                    repeated(count) { model.number = $0 }
                    told.expectSteps(to: count, from: nil, observers: observers)
                    withExtendedLifetime(subscriptions) {}
                }
            },
            Loop("set-\(observers)/subject") {
                let model = SubjectModel()
                let told = Told()
                let subscriptions = (0..<observers).map { _ in model.number.sink { told.note($0) } }
                return { count in
                    told.reset()
                    repeated(count) { model.number.value = $0 }
                    told.expectSteps(to: count, from: nil, observers: observers)
                    withExtendedLifetime(subscriptions) {}
                }
            },
        ]
    }
}

/// Arms Observation's tracking for the next change; it tells one change and no value.
private func track(_ model: ObservableModel, _ told: Told) {
    withObservationTracking {
        told.read(model.number)
    } onChange: {
        told.note()
    }
}
