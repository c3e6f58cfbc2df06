// A to-do list.
import KeyValueObserving

final class TodoList: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [String] = []
}
