// Setting a property that nobody observes.
import BenchmarkModels
import KeyValueObserving
import Observation
import OpenCombine

extension Loop {
    static var setsUnobserved: [Loop] {
        [
            Loop("set-0/plain") {
                let model = PlainModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/closure") {
                let model = CallbackModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/list") {
                let model = ListModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/locked-list") {
                let model = LockedListModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/observed") {
                let model = ObservedModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/observed-before") {
                let model = ObservedModel()
                let told = Told()
                model.observe(\.number) { _, _ in told.note() }.invalidate()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                    told.expect(deliveries: 0, news: 0)
                }
            },
            Loop("set-0/locked") {
                let model = LockedModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/shared") {
                let model = SharedModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/tracked") {
                let model = TrackedModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/observation") {
                let model = ObservableModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/published") {
                let model = PublishedModel()
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                }
            },
            Loop("set-0/subject") {
                let model = SubjectModel()
                return { count in
                    repeated(count) { model.number.value = $0 }
                    require(model.number.value == count, "it is \(model.number.value)")
                }
            },
            Loop("set-other/observed") {
                let model = ObservedModel()
                let told = Told()
                let observation = model.observe(\.text) { _, _ in told.note() }
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count && !observation.isInvalidated, "it is \(model.number)")
                    told.expect(deliveries: 0, news: 0)
                }
            },
            Loop("set-other/observation") {
                let model = ObservableModel()
                let told = Told()
                withObservationTracking {
                    _ = model.text
                } onChange: {
                    told.note()
                }
                return { count in
                    repeated(count) { model.number = $0 }
                    require(model.number == count, "it is \(model.number)")
                    told.expect(deliveries: 0, news: 0)
                }
            },
        ]
    }
}
