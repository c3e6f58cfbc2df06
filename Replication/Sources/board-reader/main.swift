// Prints the changes of another process's board: `board-reader [port] [name]`.
import Board
import Foundation
import KeyValueObserving
import Replication

let arguments = Arguments()
let board = Board()
let follower = Follower(board, of: arguments.name, at: arguments.address)

/// Prints a line at once, even into a pipe.
func show(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

let changes = board.observe(keyPaths: [\.title, \.cards, \.votes], options: [.old, .new]) { _, change in
    show("\(change)")
}
let positions = follower.observe(\.position, options: .new) { _, change in
    if let position = change.requiredNewValue { show("at \(position): \(board.cards)") }
}
let problems = follower.observe(\.problem, options: .new) { _, change in
    if let problem = change.requiredNewValue { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
}
while true { try await Task.sleep(for: .seconds(3_600)) }
