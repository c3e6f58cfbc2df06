// A to-do list, and a history that can undo and redo its changes.
import KeyValueObserving

final class TodoList: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [String] = []
}

/// Records the changes of a list.
final class History {
    private let list: TodoList
    private lazy var kvo = KVOController(observer: self)
    private var undoable: [KeyValueObservedChange<[String]>] = []
    private var redoable: [KeyValueObservedChange<[String]>] = []

    init(of list: TodoList) {
        self.list = list
        // With both values a change knows its inverse.
        kvo.observe(list, \.items, options: [.old, .new]) { history, _, change in
            history.undoable.append(change)
            history.redoable = []
        }
    }

    func undo() {
        guard let change = undoable.popLast(), let inverse = change.inverse else { return }
        make(inverse)
        redoable.append(change)
    }

    func redo() {
        guard let change = redoable.popLast() else { return }
        make(change)
        undoable.append(change)
    }

    /// Others are told of the elements concerned, as when the change was made first, and the history is not.
    private func make(_ change: KeyValueObservedChange<[String]>) {
        kvo.ignoringChanges { list.mutable(\.items).apply(change) }
    }
}
