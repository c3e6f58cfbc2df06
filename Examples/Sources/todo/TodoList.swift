// A to-do list, and how it is shown.
import KeyValueObserving

final class Item: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var text: String
    @Observed var isDone = false

    init(_ text: String) { self.text = text }
}

final class TodoList: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Item] = []
    @Observed var showsDone = true

    /// The lines of a screen; what this reads is what a screen depends on.
    var lines: [String] {
        let open = items.count { !$0.isDone }
        return items.enumerated().filter { showsDone || !$0.element.isDone }.map { number, item in
            "\(number + 1). [\(item.isDone ? "x" : " ")] \(item.text)"
        } + ["\(open) of \(items.count) open"]
    }
}
