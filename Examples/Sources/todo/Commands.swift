// What can be done with a list.
import KeyValueObserving
import KeyValueObservingHistory

/// Carries out what is typed.
struct Commands {
    static let help = "add TEXT, edit N TEXT, done N, remove N, sort, clear, filter, undo, redo; an empty line ends"

    let list: TodoList
    let undoManager = KeyValueUndoManager()

    init(of list: TodoList) {
        self.list = list
        // Also of items that come later.
        undoManager.track(list, eachOf: \.items, \.text, \.isDone)
    }

    /// Carries out a command.
    ///
    /// - Returns: What there is to say, beside what the screen shows.
    func run(_ line: String) throws -> String? {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let (command, rest) = (words.first ?? "", words.count > 1 ? words[1] : "")
        let items = list.mutable(\.items)
        let number = (rest.split(separator: " ").first.flatMap { Int($0) } ?? 0) - 1
        switch command {
        case "add" where !rest.isEmpty: items.append(Item(rest))
        case "edit" where items.indices.contains(number):
            items[number].text = rest.split(separator: " ", maxSplits: 1).dropFirst().joined()
        case "done" where items.indices.contains(number): items[number].isDone.toggle()
        case "remove" where items.indices.contains(number): items.remove(at: number)
        case "sort": items.sort { $0.text < $1.text }
        case "clear": undoManager.group(named: "clear") { items.removeAll(where: \.isDone) }
        case "filter": list.showsDone.toggle()
        case "undo":
            let name = undoManager.undoActionName
            guard try undoManager.undo() else { return "nothing to undo" }
            return name.map { "undone: \($0)" }
        case "redo": return try undoManager.redo() ? nil : "nothing to redo"
        default: return Self.help
        }
        return nil
    }
}
