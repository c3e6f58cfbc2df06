// A to-do list in the terminal, with undo, redo and a filter. The screen is drawn anew when one of its lines changes.
import KeyValueObserving

let list = TodoList()
let commands = Commands(of: list)
let screen = list.onChange(of: \.lines, initial: true) { _, lines in
    print(lines.joined(separator: "\n"))
}
print(Commands.help)
while let line = readLine(), !line.isEmpty {
    do {
        if let text = try commands.run(line) { print(text) }
    } catch {
        print(error)
    }
}
