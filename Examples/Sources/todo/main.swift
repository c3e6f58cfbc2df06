// Adds, replaces and removes items, and undoes it. Each line is one change.
import KeyValueObserving

let list = TodoList()
let history = History(of: list)

let printing = list.observe(\.items, options: [.old, .new]) { list, change in
    let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
    switch change.kind {
    case .insertion: print("added \(new)")
    case .removal: print("removed \(old)")
    case .replacement: print("replaced \(old) by \(new)")
    case .setting: print("is now \(list.items)")
    }
}

// Through this view a change carries the elements concerned and their positions.
let items = list.mutable(\.items)
items.append(contentsOf: ["milk", "bread"])
items.insert("eggs", at: 1)
items[0] = "oat milk"
items.removeAll { $0 == "bread" }

history.undo()
history.undo()
history.redo()
print("at last: \(list.items)")
