// Adds, replaces and removes items, and undoes it. Each line is one change.
import KeyValueObserving
import KeyValueObservingHistory

let list = TodoList()
let undoManager = KeyValueUndoManager()
undoManager.track(list, \.items)

let printing = list.observe(\.items, options: [.old, .new]) { list, change in
    switch change.kind {
    case .insertion: print("added \(change.requiredNewValue)")
    case .removal: print("removed \(change.requiredOldValue)")
    case .replacement: print("replaced \(change.requiredOldValue) by \(change.requiredNewValue)")
    case .setting: print("is now \(list.items)")
    }
}

// Through this view a change carries the elements concerned and their positions.
let items = list.mutable(\.items)
items.append(contentsOf: ["milk", "bread"])
items.insert("eggs", at: 1)
items[0] = "oat milk"
items.removeAll { $0 == "bread" }

try undoManager.undo()
try undoManager.undo()
try undoManager.redo()
print("at last: \(list.items)")
