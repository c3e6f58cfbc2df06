// One change, in whose handlers many objects change.
import BenchmarkModels
import KeyValueObserving

extension Loop {
    /// A change that reaches so many observed objects: by bindings, by bindings both ways, and by handlers that correct what a
    /// transaction has set.
    static func nested(objects count: Int) -> [Loop] {
        func models() -> [ObservedModel] { (0..<count).map { _ in ObservedModel() } }
        func observed(_ models: [ObservedModel]) -> [KeyValueObservation] {
            models.map { $0.observe(\.number) { _, _ in } }
        }
        return [
            Loop("nested-\(count)/bindings") {
                let (model, targets) = (ObservedModel(), models())
                let tokens = observed(targets) + targets.map { model.bind(\.number, to: $0, \.number) }
                return { count in
                    repeated(count) { model.number = $0 }
                    precondition(targets.allSatisfy { $0.number == model.number })
                    withExtendedLifetime(tokens) {}
                }
            },
            Loop("nested-\(count)/two-way") {
                let (model, targets) = (ObservedModel(), models())
                let tokens = targets.map { model.bindBothWays(\.number, to: $0, \.number) }
                return { count in
                    repeated(count) { model.number = $0 }
                    precondition(targets.allSatisfy { $0.number == model.number })
                    withExtendedLifetime(tokens) {}
                }
            },
            Loop("nested-\(count)/clamps") {
                let models = models()
                let tokens = models.map {
                    $0.observe(\.number) { model, _ in if model.number > 5 { model.number = 5 } }
                }
                return { count in
                    repeated(count) { _ in withKeyValueTransaction { for model in models { model.number = 9 } } }
                    precondition(models.allSatisfy { $0.number == 5 })
                    withExtendedLifetime(tokens) {}
                }
            },
        ]
    }
}
