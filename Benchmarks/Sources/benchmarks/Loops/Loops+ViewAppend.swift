// Appending to an array while one observer is told.
import BenchmarkModels
import KeyValueObserving
import Observation
import OpenCombine

extension Loop {
    static var viewAppends: [Loop] { [1_000, 10_000, 100_000].flatMap { viewAppends(to: $0) } }

    /// Appends to an array of about so many elements; each 1,000th time the new ones are taken off again, which is told.
    ///
    /// This library's goes through a view and tells the new element; the others tell the array.
    static func viewAppends(to length: Int) -> [Loop] {
        let start = Array(repeating: 0, count: length)
        return [
            Loop("view-append-\(length)/closure") {
                let model = CallbackItems(start)
                let told = Told()
                model.handler = { told.note($0) }
                return { count in
                    repeated(count) { value in
                        model.items.append(value)
                        if value % 1_000 == 0 { model.items.removeLast(1_000) }
                    }
                    told.expect(deliveries: count + count / 1_000, news: count * (count + 1) / 2)
                    takeOff(count, from: &model.items)
                    told.reset()
                }
            },
            Loop("view-append-\(length)/observed") {
                let model = ObservedItems(start)
                let told = Told()
                let view = model.mutable(\.items)
                let observation = model.observe(\.items, options: [.old, .new]) {
                    told.note($1.oldValue?.count ?? 0, $1.newValue?.last ?? 0)
                }
                return { count in
                    repeated(count) { value in
                        view.append(value)
                        if value % 1_000 == 0 { view.removeLast(1_000) }
                    }
                    told.expect(
                        deliveries: count + count / 1_000, olds: count / 1_000 * 1_000, news: count * (count + 1) / 2)
                    view.removeLast(count % 1_000)
                    told.reset()
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("view-append-\(length)/observation") {
                let model = ObservableItems(start)
                let told = Told()
                track(model, told)
                return { count in
                    told.reset()
                    repeated(count) { value in
                        model.items.append(value)
                        track(model, told)
                        if value % 1_000 == 0 {
                            model.items.removeLast(1_000)
                            track(model, told)
                        }
                    }
                    told.expect(deliveries: count + count / 1_000, news: count * (count + 1) / 2)
                    takeOff(count, from: &model.items)
                    track(model, told)
                }
            },
            Loop("view-append-\(length)/published") {
                let model = PublishedItems(start)
                let told = Told()
                let subscription = model.$items.sink { told.note($0.last ?? 0) }
                return { count in
                    told.reset()
                    repeated(count) { value in
                        model.items.append(value)
                        if value % 1_000 == 0 { model.items.removeLast(1_000) }
                    }
                    told.expect(deliveries: count + count / 1_000, news: count * (count + 1) / 2)
                    takeOff(count, from: &model.items)
                    withExtendedLifetime(subscription) {}
                }
            },
        ]
    }
}

/// Takes off what so many appends left.
private func takeOff(_ count: Int, from items: inout [Int]) { items.removeLast(count % 1_000) }

private func track(_ model: ObservableItems, _ told: Told) {
    withObservationTracking {
        told.read(model.items.last ?? 0)
    } onChange: {
        told.note()
    }
}
