// A to-do list, and a history that can undo and redo its changes.
import KeyValueObserving

final class TodoList: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [String] = []
}

/// Records the changes of a list.
final class History {
    private enum Direction { case forward, undoing, redoing }

    private let list: TodoList
    private lazy var kvo = KVOController(observer: self)
    private var direction = Direction.forward
    private var undoable: [KeyValueObservedChange<[String]>] = []
    private var redoable: [KeyValueObservedChange<[String]>] = []

    init(of list: TodoList) {
        self.list = list
        // With both values a change knows its inverse.
        kvo.observe(list, \.items, options: [.old, .new], action: History.itemsDidChange)
    }

    func undo() {
        guard let change = undoable.popLast() else { return }
        make(change.inverse, .undoing)
    }

    func redo() {
        guard let change = redoable.popLast() else { return }
        make(change.inverse, .redoing)
    }

    private func make(_ change: KeyValueObservedChange<[String]>?, _ direction: Direction) {
        self.direction = direction
        defer { self.direction = .forward }
        change?.apply(to: &list.items)
    }

    private func itemsDidChange(_ change: KeyValueObservedChange<[String]>) {
        switch direction {
        case .forward:
            undoable.append(change)
            redoable = []
        case .undoing: redoable.append(change)
        case .redoing: undoable.append(change)
        }
    }
}
