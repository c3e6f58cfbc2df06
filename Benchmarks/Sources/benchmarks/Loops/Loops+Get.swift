// Reading a property that nobody observes.
import BenchmarkModels
import OpenCombine

extension Loop {
    static var gets: [Loop] {
        [
            Loop("get/plain") {
                let model = PlainModel()
                return { count in
                    model.number = 3
                    var sum = 0
                    repeated(count) { _ in sum &+= model.number }
                    require(sum == 3 * count, "read \(sum)")
                }
            },
            Loop("get/closure") {
                let model = CallbackModel()
                return { count in
                    model.number = 3
                    var sum = 0
                    repeated(count) { _ in sum &+= model.number }
                    require(sum == 3 * count, "read \(sum)")
                }
            },
            Loop("get/observed") {
                let model = ObservedModel()
                return { count in
                    model.number = 3
                    var sum = 0
                    repeated(count) { _ in sum &+= model.number }
                    require(sum == 3 * count, "read \(sum)")
                }
            },
            Loop("get/tracked") {
                let model = TrackedModel()
                return { count in
                    model.number = 3
                    var sum = 0
                    repeated(count) { _ in sum &+= model.number }
                    require(sum == 3 * count, "read \(sum)")
                }
            },
            Loop("get/observation") {
                let model = ObservableModel()
                return { count in
                    model.number = 3
                    var sum = 0
                    repeated(count) { _ in sum &+= model.number }
                    require(sum == 3 * count, "read \(sum)")
                }
            },
            Loop("get/published") {
                let model = PublishedModel()
                return { count in
                    model.number = 3
                    var sum = 0
                    repeated(count) { _ in sum &+= model.number }
                    require(sum == 3 * count, "read \(sum)")
                }
            },
            Loop("get/subject") {
                let model = SubjectModel()
                return { count in
                    model.number.value = 3
                    var sum = 0
                    repeated(count) { _ in sum &+= model.number.value }
                    require(sum == 3 * count, "read \(sum)")
                }
            },
        ]
    }
}
