// A transaction of a hundred appends to a list and their removal, for what gets whole values or follows each element.
import BenchmarkModels
import KeyValueObserving

extension Loop {
    static func transactions(elements count: Int) -> [Loop] {
        func loop(_ name: String, _ observe: @escaping (ObservedList, Told) -> KeyValueObservation) -> Loop {
            Loop("list-transaction-\(count)/\(name)") {
                let (list, told) = (ObservedList(count), Told())
                let observation = observe(list, told)
                let item = ObservedModel()
                return { repetitions in
                    repeated(repetitions) { _ in
                        withKeyValueTransaction {
                            let view = list.mutable(\.items)
                            for _ in 0..<100 { view.append(item) }
                            view.removeLast(99)
                        }
                        withKeyValueTransaction { list.mutable(\.items).removeLast(1) }
                    }
                    withExtendedLifetime(observation) {}
                }
            }
        }
        return [
            loop("each") { list, told in
                list.observe(eachOf: \.items, \.number) { _, _, _ in
                } arrival: { _, _ in
                    told.note()
                }
            },
            loop("whole") { list, told in list.onChange(reading: { $0.items.count }) { _, _ in told.note() } },
        ]
    }
}

/// A list of objects.
private final class ObservedList: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [ObservedModel]

    init(_ count: Int) { items = (0..<count).map { _ in ObservedModel() } }
}
