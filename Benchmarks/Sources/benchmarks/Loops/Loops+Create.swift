// Making an object and letting it go.
import BenchmarkModels
import OpenCombine

extension Loop {
    static var creations: [Loop] {
        [
            Loop("create/plain") {
                { count in
                    var last = PlainModel.make()
                    repeated(count) { _ in last = PlainModel.make() }
                    require(last.number == 0 && last.text.isEmpty, "it is \(last.number)")
                }
            },
            Loop("create/closure") {
                { count in
                    var last = CallbackModel.make()
                    repeated(count) { _ in last = CallbackModel.make() }
                    require(last.number == 0 && last.text.isEmpty, "it is \(last.number)")
                }
            },
            Loop("create/observed") {
                { count in
                    var last = ObservedModel.make()
                    repeated(count) { _ in last = ObservedModel.make() }
                    require(last.number == 0 && last.text.isEmpty, "it is \(last.number)")
                }
            },
            Loop("create/observation") {
                { count in
                    var last = ObservableModel.make()
                    repeated(count) { _ in last = ObservableModel.make() }
                    require(last.number == 0 && last.text.isEmpty, "it is \(last.number)")
                }
            },
            Loop("create/published") {
                { count in
                    var last = PublishedModel.make()
                    repeated(count) { _ in last = PublishedModel.make() }
                    require(last.number == 0 && last.text.isEmpty, "it is \(last.number)")
                }
            },
            Loop("create/subject") {
                { count in
                    var last = SubjectModel.make()
                    repeated(count) { _ in last = SubjectModel.make() }
                    require(last.number.value == 0 && last.text.value.isEmpty, "it is \(last.number.value)")
                }
            },
        ]
    }
}
