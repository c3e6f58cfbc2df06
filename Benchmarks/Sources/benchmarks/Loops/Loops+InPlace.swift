// Changing a property in place while nobody observes it.
import BenchmarkModels
import KeyValueObserving
import OpenCombine

extension Loop {
    static var additions: [Loop] {
        [
            Loop("add/plain") {
                let model = PlainModel()
                return { count in
                    model.number = 0
                    repeated(count) { _ in model.number += 2 }
                    require(model.number == 2 * count, "it is \(model.number)")
                }
            },
            Loop("add/closure") {
                let model = CallbackModel()
                return { count in
                    model.number = 0
                    repeated(count) { _ in model.number += 2 }
                    require(model.number == 2 * count, "it is \(model.number)")
                }
            },
            Loop("add/observed") {
                let model = ObservedModel()
                return { count in
                    model.number = 0
                    repeated(count) { _ in model.number += 2 }
                    require(model.number == 2 * count, "it is \(model.number)")
                }
            },
            Loop("add/observation") {
                let model = ObservableModel()
                return { count in
                    model.number = 0
                    repeated(count) { _ in model.number += 2 }
                    require(model.number == 2 * count, "it is \(model.number)")
                }
            },
            Loop("add/published") {
                let model = PublishedModel()
                return { count in
                    model.number = 0
                    repeated(count) { _ in model.number += 2 }
                    require(model.number == 2 * count, "it is \(model.number)")
                }
            },
        ]
    }

    static var appends: [Loop] { [10, 1_000, 100_000].flatMap { append(to: $0) } }

    /// Appends to an array of about so many elements; each 1,000th time the new ones are taken off again.
    private static func append(to length: Int) -> [Loop] {
        let start = Array(repeating: 0, count: length)
        return [
            Loop("append-\(length)/plain") {
                let model = PlainItems(start)
                return { count in
                    repeated(count) { value in
                        model.items.append(value)
                        if value % 1_000 == 0 { model.items.removeLast(1_000) }
                    }
                    requireAppended(model.items, count, to: length)
                    model.items.removeLast(model.items.count - length)
                }
            },
            Loop("append-\(length)/observed") {
                let model = ObservedItems(start)
                return { count in
                    repeated(count) { value in
                        model.items.append(value)
                        if value % 1_000 == 0 { model.items.removeLast(1_000) }
                    }
                    requireAppended(model.items, count, to: length)
                    model.items.removeLast(model.items.count - length)
                }
            },
            Loop("append-\(length)/observation") {
                let model = ObservableItems(start)
                return { count in
                    repeated(count) { value in
                        model.items.append(value)
                        if value % 1_000 == 0 { model.items.removeLast(1_000) }
                    }
                    requireAppended(model.items, count, to: length)
                    model.items.removeLast(model.items.count - length)
                }
            },
            Loop("append-\(length)/published") {
                let model = PublishedItems(start)
                return { count in
                    repeated(count) { value in
                        model.items.append(value)
                        if value % 1_000 == 0 { model.items.removeLast(1_000) }
                    }
                    requireAppended(model.items, count, to: length)
                    model.items.removeLast(model.items.count - length)
                }
            },
        ]
    }
}

/// Demands the array that was appended to so many times.
private func requireAppended(_ items: [Int], _ count: Int, to length: Int) {
    require(items.count == length + count % 1_000, "there are \(items.count)")
    require(count % 1_000 == 0 || items.last == count, "the last is \(String(describing: items.last))")
}
